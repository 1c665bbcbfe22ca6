"""Little words and forms by which a clause is built: what denies, leads, limits or points, in every language at once.

Space-separated lists, or phrases separated by `|`; words that mean something else in another language are left out.
"""

# Forms of being and having, and auxiliaries of a verb that follows.
BE = (
    "is are was were be been being got gets will wurde wurden wird werden ist sind war waren hat"
    " haben fue fueron es son está están ha han sido era été est sont fut è sono stato stata stati state"
    " viene venne foi foram é são tem será serán sera sarà zal worden seit zijn werd wordt heeft"
)

# Auxiliaries of a passive.
PASSIVE_ONLY = (
    "is are was were be been being got wurde wurden wird werden ist sind war fue fueron sido es está están été"
    " est sont fut è sono stato stata stati state viene foi foram é são werd wordt zijn"
)

# Verbs that mean nothing without their object.
WEAK = (
    "there any has have having had does did do be being been will ever yet either all really right well even"
    " once for good each every always usually hat haben wird werden tiene tienen hay ha han a ont il y hanno"
    " c'è tem têm há heeft hebben er zijn is"
)

# Words of the past tense.
PAST = "was were had did wurde wurden war waren hatte fue fueron era hubo fut était fu furono foi foram werd werden"

# Words of the future tense that are nothing else.
FUTURE = "will shall sera será serán sarà zal zullen"

# Negators that undo another one: "not without".
WITHOUT = "without ohne sin sans senza sem zonder"

# States that are too common as other words to be taken for agreement.
LOOSE_WORDS = "on off up down live free out open works work running"

# Words that end the object of a verb.
PREPOSITIONS = (
    "and or but und oder y et ou with by from for in on at as to into during until per under over due"
    " aus von mit bei durch für am im zum nach por con para del de dans par pour avec du des da dal dalla "
    " com van met uit door voor"
)

# Negators that say that something was so before.
NO_MORE = "any more|anymore|any longer|nicht mehr|mehr|ya no|plus|non più|già|niet meer|不再"

# Negators that only strengthen another one.
CONCORD = (
    "any more|anymore|any longer|ne|n'|nunca|nada|nadie|ninguna|ningún|ninguno|ni|nessun|nessuna|nessuno|niente"
    "|nulla|né|mai|nenhum|nenhuma|nem|ninguém|aucun|aucune|personne|rien|jamais|nor|neither|ever"
)

# What happens once only, so that two years of it exclude each other.
ONCE = (
    " founded established born built opened launched ends expires expire due until since married published"
    " created started joined bought constructed completed moved gegründet geboren gebaut eröffnet endet seit"
    " bis läuft fundada fundado nació construido construida abrió vence termina hasta desde fondée fondé né née"
    " construit jusqu'en depuis fondata fondato nato costruito scade nasceu construído opgericht gebouwd 成立"
    " 建于 出生 到期 創業 設立 完成 생"
)

# What joins two numbers into a span.
TO = "to bis a à al até tot and und y et e en until till 至 到 から ～"

# Labels that number one of a row of periods or events rather than a place or a version.
PERIOD_LABELS = (
    "sprint season episode round week day quarter phase chapter year term semester session lesson batch"
    " woche saison runde tag folge semana temporada jornada semaine settimana stagione iteration cohort"
    " wave"
)

# States only as a predicate: elsewhere prepositions, particles or parts of other phrases.
LOOSE = (
    "on off up down live free due full out an aus auf zu frei fest aan uit open part green red let taken at"
    " work local must works lost found final fit dead single living passed complete internal required expert"
    " costs fee active stable public private sold own needs done confirmed adult child minor advanced master"
    " offen libre vivo fijo fija usa neu running valid"
)

# What leads a state.
COPULAS = (
    "painted dyed is are was were be been being now still currently set turned switched becomes became"
    " remains stays again ist sind war wurde wird jetzt noch nun derzeit wieder bleibt es está están fue ha"
    " sido sigue ahora ya todavía queda est sont été reste è sono stato rimane é foi estão zijn nog nu"
)

# Beginnings that turn an adjective into its opposite: any one, and those that take some endings only.
DENYING = "un non non- un-"
DENYING_SOME = "in im ir il"
DENIED_ENDINGS = "able ible bile vel ble ive ivo iva iv if al ent ente ant ante ct cto cta ct te til ile id ido ida ar"
# What means no opposite with such a beginning.
UNDENIED = "different famous valuable flammable habitable tense fluent differente famoso ferior til"

# Auxiliaries and modals of a verb that follows.
AUXILIARIES = (
    "does do did has have had can could will would must should may might kann soll muss darf hat hatte puede debe"
    " tiene ha peut doit può deve pode deve tem kan moet mag heeft"
)

# Pairs by which one of two like things is told from the other one, beside the antonyms.
SIDES = (
    "front back|front rear|upper lower|top bottom|inner outer|near far|northern southern|eastern western|big little"
    "|vordere hintere|obere untere|linke rechte|linkes rechtes|linker rechter|innere äussere|nördliche südliche"
    "|östliche westliche|izquierda derecha|izquierdo derecho|delantera trasera|delantero trasero|superior inferior"
    "|gauche droite|gauche droit|avant arrière|supérieur inférieur|supérieure inférieure|sinistra destra"
    "|sinistro destro|anteriore posteriore|superiore inferiore|esquerda direita|esquerdo direito|dianteira traseira"
    "|linker rechter|voorste achterste|bovenste onderste"
)

# Adverbs of the present, which may stand inside a phrase: "wohnt jetzt in".
PRESENT = (
    "now currently jetzt nun inzwischen mittlerweile derzeit heute ahora actualmente ya hoy maintenant désormais"
    " actuellement ora adesso attualmente oggi agora atualmente hoje nu inmiddels momenteel tegenwoordig"
)

# Verbs of a change from one value to another.
CHANGES = (
    "changed changes moved moves switched switches migrated migrates upgraded updated downgraded bumped raised lowered"
    " increased reduced extended shortened renamed rose fell grew shrank dropped cut relocated transferred converted"
    " ported reset rewritten revised corrected pushed postponed rescheduled geändert wechselte gewechselt zog gezogen"
    " umgezogen umgestellt migriert aktualisiert erhöht gesenkt angehoben verlängert verkürzt umbenannt gestiegen"
    " gesunken verlegt verschoben cambió cambiado cambiada pasó pasado mudó mudado trasladó trasladado migró migrado"
    " actualizó actualizado subió bajó aumentó redujo changé changée passé passée déménagé migré migrée augmenté réduit"
    " porté déplacé cambiato cambiata passato passata trasferito trasferita migrato aumentato ridotto spostato mudou"
    " passou migrou aumentou reduziu alterado alterada gewijzigd veranderd verhuisd verhuisde overgestapt gemigreerd"
    " verhoogd verlaagd verplaatst"
)

# What stands before the value that was, and before the one that is.
FROM = "from von vom de desde du da dal dalla do van"
TOWARDS = "to auf nach zu zum a al à au para naar op"

# What stands before the value that another one has taken the place of, as an aside.
INSTEAD = "instead of|rather than|statt|en lugar de|en vez de|au lieu de|invece di|em vez de|in plaats van"

# What joins a value to one that is denied: "9090 and not 8080".
JOINING = "and but und y et e en"

# Verbs by which a thing uses what it may change for something else.
USING = "uses use using utilises utilizes nutzt verwendet benutzt usa utiliza utilise utilizza gebruikt"

# Protocols named like the plural of the unprotected one.
SECURED = "https ftps imaps smtps ldaps wss mqtts amqps ircs nntps sips coaps dtls mtls rediss telnets"

# Verbs of a beginning and of an end: two moments of them are the two ends of one span.
BOUNDS = (
    "opens closes opened closed open close starts ends start end stops stop begins finishes öffnet schliesst beginnt"
    " endet abre cierra empieza termina ouvre ferme commence finit apre chiude inizia finisce fecha começa opent sluit"
    " begint eindigt открыт закрыт"
)

# What stands before an event by which two times are told apart.
BEFORE = "before|prior to|vor|antes de|antes del|antes da|antes do|avant|prima di|prima della|prima del|voor"
AFTER = "after|following|nach|después de|después del|tras|après|dopo|dopo il|dopo la|depois de|depois da|depois do|após"

# Words before the day, use or place for which a state is said.
LIMITING = "on for to during in at am für im bei los las el para en pour per chez dans gli su em aos às op voor"

# What leaves room for others of the same.
ARTICLES = "a an ein eine einen einem einer un una uno une um uma een some several"

# What leaves no room for another value, wherever it stands.
EXCLUSIVE = (
    "only sole solely exclusively single unique nur einzig einzige einziger einziges ausschließlich allein solo"
    " sólo solamente único única únicamente exclusivamente seul seule seulement uniquement soltanto unico unica"
    " só somente apenas alleen enkel enige whole entire entirely wholly gesamt gesamte gesamter gesamtes ganze"
    " ganzer ganzes todo toda entero entera tout toute entier entière tutto tutta intero intera inteiro inteira"
    " hele volledige 全部 全 全て すべて 全額 只 仅 唯一 だけ のみ 専用 전용 만"
)

# Characters that make the words before them a place where something is.
INSIDE = "に で 里 内 中 上 有 에"

# Characters between a value and what it is a value of.
LINKS = "是 为 担 负 が を は に で と"

# Words by which an attribute points to its value without a copula.
POINTERS = (
    "in on at by to from with for as every of named called titled heisst nicknamed painted born headquartered"
    " defaults bei von auf mit als für im am aus heißt genannt namens en por con para como de llama llamado"
    " llamada dirige lidera à a chez par pour comme dans sur appelle appelé da su per come presso chiama"
    " diretto em na no chama op bij voor heet geleid trifft sich leitet betreibt leidt gehört"
)

# Words that make a label a place or an occasion, where several things may be.
PLACES = "on in at by under behind for with auf im am bei für en sobre para sur dans pour su per em na no op"

# Passives that have several agents, ways or places side by side.
SHARED_PASSIVES = (
    "used visited sold supported sponsored attended shared followed liked loved trusted equipped decorated"
    " filled stuffed accompanied covered connected linked associated integrated combined furnished recommended"
    " offered read seen joined watched played endorsed funded served eaten surrounded bordered affected hit"
    " known translated adopted"
)

# What makes a thing a certain one.
DEFINITE = (
    "the this our my his her its their der die das den dem dieser diese dieses unser unsere mein meine el la los las"
    " este esta nuestro nuestra mi su le l' les notre mon ma son sa il lo i gli questo questa nostro o os as nosso de"
    " het deze dit onze ons"
)

# Copulas before a place, and prepositions of a place.
LOCATING = "is are ist sind liegt está están est sont è sono fica ficam staat ligt"
PLACED = "in at im am bei en à au dans chez a nel nella em no na op"
