#!/bin/sh
# Runs once, when the database is made: gives the service a role that may do nothing beyond its own database.
# (The image runs it, or reads it where the bit to run it was lost: nothing here may end the shell that does.)
if [ "$SERVICE_USERNAME" = "$POSTGRES_USER" ]; then
    echo "The service logs in as the superuser $POSTGRES_USER: no ordinary role is made."
else
    psql --set ON_ERROR_STOP=1 --no-psqlrc --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
        --set role="$SERVICE_USERNAME" --set password="$SERVICE_PASSWORD" --set database="$POSTGRES_DB" \
        --set superuser="$POSTGRES_USER" <<'SQL'
SELECT left(:'role', 54) || '_confined' AS confined \gset
CREATE ROLE :"role" LOGIN PASSWORD :'password';
CREATE ROLE :"confined" NOLOGIN;
GRANT :"confined" TO :"role";
ALTER DATABASE :"database" OWNER TO :"role";
CREATE EXTENSION vector;
-- from now on the superuser logs in through the socket inside the container alone
ALTER ROLE :"superuser" PASSWORD NULL;
SQL
fi
