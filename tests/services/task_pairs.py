"""Pairs of tasks, title and goal, by which the similarity of tasks was calibrated."""

Pair = tuple[tuple[str, str], tuple[str, str]]

REWORDED: tuple[Pair, ...] = (
    (
        (
            "Migrate the billing database to PostgreSQL 17",
            "Move all billing tables off the old server without downtime",
        ),
        ("Billing DB migration to PostgreSQL 17", "Get every billing table onto the new server, no downtime"),
    ),
    (
        ("Fix the login bug", "Users cannot sign in with Google accounts"),
        ("Repair Google sign-in", "Signing in with a Google account fails for users"),
    ),
    (
        ("Write the onboarding guide", "New engineers can set up their machine in a day"),
        ("Onboarding documentation", "Write a guide so that a new engineer is set up within one day"),
    ),
    (
        ("Reduce the Docker image size", "Bring the service image down so that deploys are faster"),
        ("Shrink the service's Docker image", "Smaller image, quicker deployment"),
    ),
    (
        ("Add dark mode", "The settings page lets a user choose a dark theme"),
        ("Implement a dark theme", "Let users pick dark mode in the settings"),
    ),
    (
        ("Investigate slow search queries", "Find out why search takes longer than two seconds"),
        ("Find the cause of slow searches", "Search queries take over two seconds, find the reason"),
    ),
    (
        ("Set up continuous integration", "Every push runs linting and the tests"),
        ("CI pipeline", "Run linter and tests on each push"),
    ),
    (
        ("Upgrade React to the latest version", "The web client builds without deprecated APIs"),
        ("React upgrade", "Bring the web client to the latest React and drop deprecated APIs"),
    ),
    (
        ("Plan the team offsite", "Book a venue and travel for twelve people in May"),
        ("Organise the offsite for the team", "Venue and travel for twelve in May need booking"),
    ),
    (
        ("Translate the help pages into German", "All help articles are available in German"),
        ("German translation of the help centre", "Translate every help article to German"),
    ),
    (
        ("Rotate the API keys", "Replace all keys that were exposed in the leak"),
        ("Replace leaked API keys", "Rotate every key that the leak exposed"),
    ),
    (
        ("Refactor the payment module", "Split the payment class into smaller parts with tests"),
        ("Clean up payment code", "Break the large payment class into small tested parts"),
    ),
    (
        ("Prepare the quarterly report", "Collect revenue figures and write the summary for the board"),
        ("Quarterly board report", "Gather the revenue numbers and summarise them for the board"),
    ),
    (
        ("Remove the legacy export endpoint", "No client calls the old CSV export any more"),
        ("Delete the old CSV export endpoint", "It is legacy and no client uses it any longer"),
    ),
    (
        ("Fix flaky integration tests", "The nightly test run is green for a week"),
        ("Make the integration tests stable", "Nightly test runs should stay green for a week"),
    ),
    (
        ("Add rate limiting to the public API", "Abusive clients get a 429 answer"),
        ("Rate limit the public API", "Answer abusive clients with 429"),
    ),
    (
        ("Import contacts from the old CRM", "All customers with their addresses are in the new system"),
        ("Bring the old CRM's contacts over", "Every customer and address ends up in the new system"),
    ),
    (
        ("Tune the recommendation model", "Improve click-through of the recommended products"),
        ("Improve product recommendations", "Tune the model so that click-through rises"),
    ),
    (
        ("Book flights to Lisbon", "Cheap return flights for the conference in June"),
        ("Flights for the Lisbon conference", "Find cheap return tickets for June"),
    ),
    (
        ("Debug the memory leak in the worker", "The worker's memory stays flat over a day"),
        ("Worker leaks memory", "Find the leak so that memory use of the worker stays flat for a day"),
    ),
    (
        ("Design the new landing page", "A page that explains the product and leads to sign-up"),
        ("Landing page redesign", "New page explaining the product, leading visitors to sign up"),
    ),
    (
        ("Back up the photo archive", "A second copy of all photos lies in another place"),
        ("Photo archive backup", "Store a second copy of every photo elsewhere"),
    ),
    (
        ("Learn Spanish vocabulary", "Know the thousand most common words"),
        ("Study Spanish words", "Learn the thousand most frequent Spanish words"),
    ),
    (
        ("Replace the kitchen tap", "The tap no longer drips"),
        ("Fix the dripping kitchen tap", "Put in a new tap so that it stops dripping"),
    ),
    (
        ("Enable gzip compression on nginx", "Responses of the website are compressed"),
        ("Compress website responses", "Turn on gzip in nginx"),
    ),
    (
        ("Add pagination to the orders list", "The orders page loads quickly with many orders"),
        ("Paginate orders", "Orders page must load fast even with many orders"),
    ),
    (
        ("Datenbank migrieren", "Alle Tabellen auf den neuen Server umziehen"),
        ("Migration der Datenbank", "Alle Tabellen auf den neuen Server bringen"),
    ),
    (
        ("Write unit tests for the parser", "Cover every branch of the query parser"),
        ("Parser test coverage", "Every branch of the query parser has a unit test"),
    ),
    (
        ("Renew the TLS certificate", "The certificate of the shop is valid for another year"),
        ("TLS certificate renewal for the shop", "Have a valid certificate for another year"),
    ),
    (
        ("Deploy the release to staging", "Testers can try the new release"),
        ("Staging deployment of the release", "Put the new release on staging for the testers"),
    ),
    (("Fix login bug", "Users can log in again"), ("Fix the login bug", "Make it possible for users to log in again")),
    (
        ("Deploy API", "Ship the current release to production"),
        ("Deploy the API", "Ship current release to production"),
    ),
    (("Fix auth bug", "auth works"), ("Fix authentication bug", "authentication works")),
    (("Write tests for the parser", "Reach full coverage"), ("Write parser tests", "Full coverage of the parser")),
    (
        ("Migrate users table", "Move it to the new schema"),
        ("Migration of the users table", "Move the table over to the new schema"),
    ),
    (("Clean the kitchen", "The room is tidy"), ("Tidy up the kitchen", "Clean room")),
)
"""The same task in other words."""

DIFFERENT: tuple[Pair, ...] = (
    (
        (
            "Migrate the billing database to PostgreSQL 17",
            "Move all billing tables off the old server without downtime",
        ),
        (
            "Migrate the analytics database to PostgreSQL 17",
            "Move all event tables off the old server without downtime",
        ),
    ),
    (
        ("Fix the login bug", "Users cannot sign in with Google accounts"),
        ("Fix the checkout bug", "Users cannot pay with Google Pay"),
    ),
    (
        ("Write the onboarding guide", "New engineers can set up their machine in a day"),
        ("Write the incident guide", "Engineers on call know what to do when the machine is down"),
    ),
    (
        ("Reduce the Docker image size", "Bring the service image down so that deploys are faster"),
        ("Publish the Docker image", "The service image can be pulled from the registry"),
    ),
    (
        ("Add dark mode", "The settings page lets a user choose a dark theme"),
        ("Add a language switch", "The settings page lets a user choose a language"),
    ),
    (
        ("Investigate slow search queries", "Find out why search takes longer than two seconds"),
        ("Investigate slow image uploads", "Find out why uploads take longer than two seconds"),
    ),
    (
        ("Set up continuous integration", "Every push runs linting and the tests"),
        ("Set up monitoring", "Every service reports its errors and latency"),
    ),
    (
        ("Upgrade React to the latest version", "The web client builds without deprecated APIs"),
        ("Upgrade Django to the latest version", "The web server starts without deprecated settings"),
    ),
    (
        ("Plan the team offsite", "Book a venue and travel for twelve people in May"),
        ("Plan the product launch", "Book press and a venue for the event in May"),
    ),
    (
        ("Translate the help pages into German", "All help articles are available in German"),
        ("Translate the help pages into French", "All help articles are available in French"),
    ),
    (
        ("Rotate the API keys", "Replace all keys that were exposed in the leak"),
        ("Document the API keys", "Describe which key gives access to what"),
    ),
    (
        ("Refactor the payment module", "Split the payment class into smaller parts with tests"),
        ("Refactor the shipping module", "Split the shipping class into smaller parts with tests"),
    ),
    (
        ("Prepare the quarterly report", "Collect revenue figures and write the summary for the board"),
        ("Prepare the tax return", "Collect receipts and fill in the forms for the tax office"),
    ),
    (
        ("Remove the legacy export endpoint", "No client calls the old CSV export any more"),
        ("Add a JSON export endpoint", "Clients can export their data as JSON"),
    ),
    (
        ("Fix flaky integration tests", "The nightly test run is green for a week"),
        ("Write integration tests for the mailer", "Every mail that is sent has a test"),
    ),
    (
        ("Add rate limiting to the public API", "Abusive clients get a 429 answer"),
        ("Add authentication to the public API", "Clients without a token get a 401 answer"),
    ),
    (
        ("Import contacts from the old CRM", "All customers with their addresses are in the new system"),
        ("Export contacts to the newsletter tool", "All customers who agreed receive the newsletter"),
    ),
    (
        ("Tune the recommendation model", "Improve click-through of the recommended products"),
        ("Tune the spam model", "Fewer good mails land in the spam folder"),
    ),
    (
        ("Book flights to Lisbon", "Cheap return flights for the conference in June"),
        ("Book a hotel in Lisbon", "A cheap room near the conference in June"),
    ),
    (
        ("Debug the memory leak in the worker", "The worker's memory stays flat over a day"),
        ("Debug the deadlock in the worker", "The worker never hangs over a day"),
    ),
    (
        ("Design the new landing page", "A page that explains the product and leads to sign-up"),
        ("Design the new pricing page", "A page that shows the plans and leads to payment"),
    ),
    (
        ("Back up the photo archive", "A second copy of all photos lies in another place"),
        ("Sort the photo archive", "All photos are in folders by year"),
    ),
    (
        ("Learn Spanish vocabulary", "Know the thousand most common words"),
        ("Learn Italian vocabulary", "Know the thousand most common words"),
    ),
    (
        ("Replace the kitchen tap", "The tap no longer drips"),
        ("Replace the kitchen lamp", "The lamp no longer flickers"),
    ),
    (
        ("Enable gzip compression on nginx", "Responses of the website are compressed"),
        ("Enable caching on nginx", "Responses of the website are cached"),
    ),
    (
        ("Add pagination to the orders list", "The orders page loads quickly with many orders"),
        ("Add filters to the orders list", "The orders page can be narrowed by status"),
    ),
    (
        ("Datenbank migrieren", "Alle Tabellen auf den neuen Server umziehen"),
        ("Datenbank sichern", "Alle Tabellen jede Nacht auf ein Band schreiben"),
    ),
    (
        ("Write unit tests for the parser", "Cover every branch of the query parser"),
        ("Write unit tests for the scheduler", "Cover every branch of the job scheduler"),
    ),
    (
        ("Renew the TLS certificate", "The certificate of the shop is valid for another year"),
        ("Renew the insurance", "The car is insured for another year"),
    ),
    (
        ("Deploy the release to staging", "Testers can try the new release"),
        ("Deploy the release to production", "Customers get the new release"),
    ),
    (
        ("Deploy the web service to staging", "The new version runs on staging"),
        ("Roll back the web service on staging", "The old version runs on staging again"),
    ),
    (
        ("Update the user manual", "The manual describes the new editor"),
        ("Update the user model", "The model stores the new email address"),
    ),
    (("Fix the build", "The build passes on Linux"), ("Fix the build", "The build passes on Windows")),
    (("Release version 2.3", "Version 2.3 is published"), ("Release version 2.4", "Version 2.4 is published")),
    (
        ("Call Anna about the contract", "Anna signs the contract"),
        ("Call Boris about the contract", "Boris signs the contract"),
    ),
    (("Write tests for the parser", "Reach full coverage"), ("Write tests for the scheduler", "Reach full coverage")),
    (
        ("Deploy the API to production", "Ship the current release"),
        ("Deploy the API to staging", "Ship the current release"),
    ),
    (("Fix login bug", "Users can log in again"), ("Fix logout bug", "Users can log out again")),
    (("Enable gzip on nginx", "Responses are compressed"), ("Disable gzip on nginx", "Responses are not compressed")),
    (("Add user accounts", "The admin can add a user"), ("Remove user accounts", "The admin can remove a user")),
    (("Refactor module alpha", "Clean code with tests"), ("Refactor module beta", "Clean code with tests")),
    (("Email Anna", "Send the invoice"), ("Email Boris", "Send the invoice")),
    (("Fix auth bug", "auth works"), ("Fix database bug", "database works")),
    (
        ("Review the pull request of Kim", "The change is reviewed and merged"),
        ("Review the pull request of Lee", "The change is reviewed and merged"),
    ),
    (("Clean the kitchen", "The room is tidy"), ("Clean the bathroom", "The room is tidy")),
    (
        ("Update dependencies of the frontend", "No known vulnerabilities"),
        ("Update dependencies of the backend", "No known vulnerabilities"),
    ),
    (("Migrate users table", "Move it to the new schema"), ("Migrate orders table", "Move it to the new schema")),
    (
        ("Build the API", "Implement REST endpoints for orders"),
        ("Build the API", "Implement REST endpoints for customers"),
    ),
    (
        ("Increase the cache size", "Fewer misses in the cache"),
        ("Decrease the cache size", "Less memory for the cache"),
    ),
    (
        ("Write the API documentation", "Every endpoint of the API is described"),
        ("Generate the API client", "Every endpoint of the API can be called from Python"),
    ),
    (
        ("Clean up the test data", "The test database holds no stale rows"),
        ("Create test data", "The test database holds realistic rows for the demo"),
    ),
    (
        ("Set up the staging server", "Staging runs the current release behind TLS"),
        ("Document the staging server", "The team knows how to reach staging"),
    ),
    (
        ("Measure the page load time", "Know how long the start page takes"),
        ("Improve the page load time", "The start page loads in under a second"),
    ),
    (
        ("Interview candidates for the backend role", "Meet five candidates and write feedback"),
        ("Write the job ad for the backend role", "Good candidates apply"),
    ),
    (
        ("Review the security of the login", "List weaknesses of the login flow"),
        ("Fix the security holes of the login", "The weaknesses of the login flow are closed"),
    ),
    (
        ("Buy a birthday present for Mia", "Something that she likes, under fifty euros"),
        ("Plan the birthday party for Mia", "Guests, cake and a place"),
    ),
    (
        ("Collect feedback from beta users", "Twenty answers to the questionnaire"),
        ("Invite beta users", "Fifty people try the beta"),
    ),
    (
        ("Encrypt backups", "Nobody can read a stolen backup"),
        ("Test restoring backups", "A backup can be restored within an hour"),
    ),
    (
        ("Add search to the admin page", "An admin finds a user by name"),
        ("Add audit log to the admin page", "An admin sees who changed what"),
    ),
    (
        ("Train the classifier", "The model reaches good accuracy on the reviews"),
        ("Label reviews for the classifier", "Enough labelled reviews to train the model"),
    ),
    (
        ("Move the cron jobs to Kubernetes", "All nightly jobs run in the cluster"),
        ("Monitor the cron jobs in Kubernetes", "An alert fires when a nightly job in the cluster fails"),
    ),
)
"""Different tasks that share many words."""
