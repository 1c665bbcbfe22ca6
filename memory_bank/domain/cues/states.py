"""Scales of states of which one excludes another at one time, in languages with spaces.

Each row is a scale, its classes separated by `/`, the phrases of a class by `|`; written like `changes`.
"""

# Two classes of one scale exclude each other.
STATES: dict[str, tuple[str, ...]] = {
    "en": (
        "in stock|available in|on sale/sold out|out of stock|unavailable|no longer stocked",
        "permanent|open-ended|indefinite/temporary|fixed-term|time-limited|seasonal",
        "on paper|paper-based|printed|handwritten/digital|digitally|electronic|electronically|paperless|online form",
        "conventional|conventionally farmed/organic|certified organic|biodynamic",
        "cash only|cash/cashless|card only|by card",
        "locked/unlocked",
        "asleep/awake",
        "signed/unsigned|not yet signed",
        "one-way/two-way",
        "indoor|indoors/outdoor|outdoors",
        "on strike|striking/working normally|back to work|strike is over|strike ended",
        "cold|unheated/heated|centrally heated",
        "clean-shaven/bearded|grew a beard|has a beard|wears a beard",
        "leads the table|top of the table|in first place/bottom of the table|relegated|in last place",
        "under warranty|in warranty/out of warranty|warranty has expired|warranty expired",
        "at school|in primary school|in secondary school|in kindergarten/at university|at college/graduated|working",
        "in opposition|opposition party/in government|governing party",
        "understaffed|short of staff/fully staffed",
        "sceptical|against it|opposed|opposes/in favour|supports it|convinced",
        "rookie|newcomer|new to/veteran|long-standing",
        "weekday only|weekdays only/weekends only|weekend only",
        "single-node|one node|standalone/clustered|replicated|multi-node|highly available",
        "synchronous|synchronously/asynchronous|asynchronously",
        "over http|via http|plain http|http only/over https|via https|https only",
        "stateful/stateless",
        "polling|polls/webhooks|pushed|event-driven",
        "batch|in batches|nightly batch/streaming|in real time|real-time|continuously",
        "open|unresolved|ongoing|is being|are being|in progress|under way|underway|under investigation"
        "|being investigated|pending|outstanding|unfixed|blocked|stalled|in review|under review|awaiting|waiting for"
        "|waiting on|work in progress|being worked on|still being|to be done|unfinished|half done|half finished"
        "|incomplete/resolved|closed|fixed|done|finished|completed|complete|solved|settled|merged|shipped|released"
        "|signed off|wrapped up|cleared|handed over|concluded|finalised|finalized|passed/cancelled|canceled|abandoned"
        "|called off|shelved|scrapped|dropped|withdrawn",
        "planned|proposed|a proposal|proposal|an idea|being planned|on the drawing board|in planning|draft|drafted"
        "|being drafted|in draft|under consideration|under discussion|being considered|in design|to be built|scheduled"
        "|upcoming|not yet started|on order|ordered|undecided|in development|prototype/under construction|being built"
        "|being renovated|under renovation|in the works|half built|being installed/finished|completed|complete|built"
        "|opened|in production|live|in operation|launched|released|in service|installed|laid|delivered|published"
        "|adopted|signed|ratified|rolled out|inaugurated|arrived|approved|went live|gone live|generally available"
        "|decided|up and running/cancelled|canceled|abandoned|shelved|called off|scrapped|rejected|dropped",
        "empty|vacant|free|unoccupied|for rent|to let|for sale|on the market|available to rent|unsold|unlet"
        "|uninhabited/let|rented|rented out|occupied|leased|tenanted|sold|taken|inhabited|let to|full|moved into"
        "|occupied by|home to|has tenants|booked",
        "single|unmarried|bachelor|lives alone|dating|in a relationship|together|a couple/engaged|fiancé|fiancée"
        "/married|wed|newlywed|got married|tied the knot/divorced|separated|split up/widowed|widow|widower",
        "privately held|privately owned|private company|family owned|family-owned|independent|owner-run|founder-owned"
        "|owned by its founders|owned by its two founders|self-owned|family-run/acquired|acquired by|taken over"
        "|bought by|sold to|bought out|subsidiary|part of|merged with|merged into|owned by/listed|publicly traded"
        "|public company|went public|listed on the stock exchange|floated|nationalised|nationalized",
        "unemployed|out of work|jobless|between jobs|looking for a job|looking for work|job hunting|job-hunting"
        "|redundant|laid off/employed|works as|works at|works for|has a job|new job|joined|hired|started at|started as"
        "|started work|self-employed|freelance|freelances|in full-time work/retired|pensioner|in retirement"
        "|took retirement",
        "student|studying|studies|at university|undergraduate|at school|in college|apprentice|trainee|in training"
        "|intern|learning to|enrolled|preparing for/graduated|graduate|finished her degree|finished his degree"
        "|got her degree|got his degree|qualified|holds a degree|passed her|passed his|passed the|works as|dropped out",
        "online|up|fixed|up and running|working|works|operational|functional|functioning|in order|in working order"
        "|healthy|running|repaired|mended|running again|green|stable|back up/offline|down|broken|out of order|faulty"
        "|defective|failing|fails|failed|crashed|crashing|dead|in repair|being repaired|at the repair shop"
        "|at the garage|at the workshop|in the workshop|in for repair|at the mechanic|leaking|leaks|drips|dripping"
        "|rattles|squeaks|leaky|damaged|stuck|jammed|unreachable|red|unstable|flaky|cracked|torn",
        "in use|active|in force|in operation|enabled|turned on|switched on|on|activated|running|operating|valid"
        "|in effect|manned|open to the public|open|reopened|open again|reopened to|back in service|back in use/unused"
        "|inactive|disabled|turned off|switched off|off|deactivated|suspended|paused|on hold|frozen|dormant|idle"
        "|on pause|expired|lapsed|out of use|closed|shut|closed to the public|locked|sealed off|boarded up",
        "injured|in a wheelchair|ill|sick|in hospital|hospitalised|hospitalized|recovering|on sick leave|in a cast"
        "|on crutches|in rehab|unwell|off sick|bedridden|coughing|limping|feverish/recovered|healthy|fit again"
        "|on his feet again|on her feet again|walking again|walking without|well again|healed|cured|back at work"
        "|discharged|fully fit|fit",
        "on leave|on parental leave|on maternity leave|on paternity leave|on sabbatical|on holiday|on vacation|away"
        "|abroad|travelling|traveling/back at work|back in the office|returned to work|back from|at home|returned"
        "|back home",
        "pregnant|expecting|expecting a baby/gave birth|had a baby|has had a baby|was born",
        "flooded|wet|damp|under water|soaked|soaking/dry|dried out|pumped out|drained",
        "alive|living/dead|died|passed away|deceased",
        "public|open source|open-source|publicly available|open to everyone|open to all|visible to everyone/private"
        "|closed source|closed-source|proprietary|internal only|members only|invitation only|by invitation only"
        "|invite-only|restricted|confidential|secret",
        "free|free of charge|at no cost|gratis|no charge|complimentary/paid|charged|fee|costs|paid for|subscription"
        "|paywalled|behind a paywall|chargeable",
        "manual|manually|by hand/automatic|automatically|automated|by a script|by a pipeline|self-service|scripted",
        "on-premises|on-premise|on premises|on prem|in-house server|own servers|own hardware|self-hosted"
        "|own data centre|own data center|in the basement|bare metal|on a single vm|virtual machine|vm"
        "|server in the office/cloud|in the cloud|managed|saas|aws|azure|gcp|gke|eks|kubernetes|kubernetes cluster"
        "|serverless|lambda|fargate",
        "monolith|monolithic|single application/microservices|split into services|modular services"
        "|split into separate services",
        "remote|remotely|from home|work from home|works from home|home office|virtual|by video|over zoom|online only"
        "|on zoom|by video call/in person|on site|on-site|in the office|at the office|face to face|in the meeting room",
        "full-time|full time/part-time|part time|half-time|half days",
        "pending|awaiting approval|awaiting a decision|undecided|under review|applied for|in negotiation"
        "|being negotiated|submitted|requested/approved|granted|accepted|confirmed|passed|signed|authorised|authorized"
        "|ratified/rejected|refused|denied|turned down|declined|failed|vetoed|withdrawn",
        "draft|in draft|being drafted|being written|not yet submitted|unsubmitted|still being prepared|in preparation"
        "|being prepared/submitted|filed|handed in|sent off|lodged|published|accepted|adopted|sent out",
        "being packed|packed|in transit|on its way|on the way|shipped|dispatched|out for delivery|at customs"
        "|in the warehouse|posted/delivered|arrived|received|collected|picked up|in our hands|was handed over",
        "contractor|freelancer|freelance|freelances|self-employed|own business/full-time job|permanent job"
        "|permanent position|permanent contract|employee|employed|on the payroll|salaried|staff member",
        "in beta|beta|alpha|in alpha|experimental|preview|pilot|in trial|trial|on trial|being tested|in testing"
        "|proof of concept|probation|on probation|provisional|interim|acting/stable|generally available|in production"
        "|live|permanent|rolled out to everyone|production-ready|final|confirmed",
        "supported|maintained|actively developed|actively maintained|under active development|in active development"
        "/unsupported|unmaintained|end of life|end-of-life|deprecated|in maintenance mode|archived|abandoned|read-only",
        "vegetarian|vegan|pescatarian/eats meat|meat eater|omnivore|eating meat",
        "smoker|smokes|smoking/non-smoker|nonsmoker|gave up smoking|quit smoking|stopped smoking|smoke-free",
        "beginner|novice/expert|advanced|fluent|proficient|master",
        "unpaid|paying off|still paying|repaying|due|overdue|outstanding|owed|owes|in arrears|in debt|being paid off"
        "|mortgaged/paid|paid off|settled|cleared|repaid|debt-free|written off|paid in full",
        "looking for|searching for|in search of|hunting for|saving for|saving up for|trying to find|still needs/found"
        "|has found|bought|has bought|moved into|got hold of|chose",
        "missing|lost|stolen|misplaced|nowhere to be found/found|recovered|returned|turned up",
        "insolvent|bankrupt|in administration|in liquidation|loss-making|making losses|in the red/profitable|solvent"
        "|in the black|breaks even|making a profit",
        "unassigned|vacant|unfilled|being advertised|has no owner|nobody/assigned|filled|taken|appointed|assigned to",
        "encrypted/unencrypted|plaintext|in plain text|in the clear",
        "mandatory|compulsory|required|obligatory|must/optional|voluntary|not required|recommended",
        "allowed|permitted|welcome|tolerated/banned|prohibited|forbidden|not allowed|not permitted",
        "raw|unripe|green|in bud|dormant|sown|seedlings/ripe|in bloom|flowering|harvested|picked|blooming|in flower",
        "winter tyres|winter tires/summer tyres|summer tires|all-season tyres",
        "unread|to be read|on the reading list|half way through|halfway through|reading|in the middle of"
        "/finished reading|finished|has read|read",
        "owned|own|owns|bought|homeowner/rents|rented|rental|leases|leased|sold",
        "increasing|rising|growing|up/decreasing|falling|shrinking|declining",
        "red/blue/green/yellow/white/black/grey|gray/orange/purple/pink/brown/beige/turquoise/navy",
        "child|minor/adult|grown up",
        "left-handed/right-handed",
        "gas|gas boiler|gas heating/heat pump/oil heating|oil-fired|oil/district heating/pellets|pellet/solar/electric"
        "|electricity/diesel/petrol|gasoline/hydrogen/hybrid",
        "by car|drives to/by bike|by bicycle|cycles to/by train|takes the train/by bus|takes the bus/on foot|walks to"
        "/by tram|takes the tram/by metro",
    ),
    "de": (
        "vorrätig|auf lager|lieferbar/ausverkauft|vergriffen|nicht lieferbar",
        "befristet|vorübergehend/unbefristet|dauerhaft",
        "auf papier|handschriftlich/digital|elektronisch",
        "konventionell/biologisch|bio-zertifiziert|ökologisch",
        "im streik|bestreikt/streik beendet|arbeitet wieder normal",
        "abgeschlossen|verschlossen/aufgeschlossen|unverschlossen",
        "offen|in bearbeitung|in arbeit|wird gerade|wird derzeit|wird noch|läuft noch|ungelöst|unfertig|unvollständig"
        "|in prüfung|ausstehend|anhängig|wird bearbeitet|steht aus|steht noch aus|noch nicht fertig|warten auf"
        "|wartet auf/gelöst|behoben|erledigt|abgeschlossen|fertig|fertiggestellt|geschlossen|beendet|repariert"
        "|freigegeben|gelöscht/abgebrochen|abgesagt|verworfen|gestoppt|storniert",
        "geplant|in planung|entwurf|im entwurf|vorgeschlagen|bestellt|in vorbereitung|vorgesehen|in entwicklung"
        "|prototyp/im bau|wird gebaut|wird renoviert|wird umgebaut|wird saniert/fertig|fertiggestellt|gebaut|eröffnet"
        "|in betrieb|live|veröffentlicht|geliefert|installiert|eingeführt|eingeweiht|in produktion|verlegt|beschlossen"
        "|unterzeichnet/abgesagt|verworfen|aufgegeben|gestrichen",
        "leer|unbewohnt|frei|zu vermieten|zu verkaufen|steht leer|leerstehend/vermietet|bewohnt|belegt|verkauft"
        "|verpachtet|besetzt|vergeben|bezogen",
        "ledig|single|unverheiratet/verlobt/verheiratet|geheiratet/geschieden|getrennt/verwitwet",
        "arbeitslos|arbeitssuchend|auf jobsuche|ohne arbeit/angestellt|arbeitet als|arbeitet bei|arbeitet"
        "|selbstständig|berufstätig|fest angestellt/pensioniert|im ruhestand|in rente|rentner|rentnerin|pensionär",
        "student|studentin|studiert|im studium|azubi|auszubildende|auszubildender|in ausbildung|lehrling|praktikant"
        "|praktikantin|schüler|schülerin/absolvent|absolventin|abschluss gemacht|studium abgeschlossen"
        "|ausbildung abgeschlossen|ausgelernt",
        "funktioniert|läuft|in ordnung|betriebsbereit|online|repariert|intakt|erreichbar|stabil/defekt|kaputt"
        "|ausgefallen|offline|außer betrieb|gestört|in reparatur|abgestürzt|beschädigt|undicht|nicht erreichbar"
        "|instabil",
        "aktiv|frei|wieder frei|freigegeben|befahrbar|passierbar|in betrieb|eingeschaltet|an|aktiviert|gültig|in kraft"
        "|in gebrauch|geöffnet|offen|auf|zugänglich/inaktiv|außer betrieb|ausgeschaltet|aus|deaktiviert|abgelaufen"
        "|ungültig|außer kraft|stillgelegt|pausiert|ruht|geschlossen|zu|gesperrt|unbenutzt",
        "verpackt|unterwegs|in zustellung|versandt|im versand|im zoll/zugestellt|angekommen|geliefert|abgeholt"
        "|eingetroffen",
        "entwurf|im entwurf|in arbeit|wird vorbereitet|wird geschrieben/eingereicht|abgegeben|abgeschickt"
        "|veröffentlicht|angenommen",
        "freiberuflich|freiberufler|freiberuflerin|selbstständig|selbständig/angestellt|festanstellung|fest angestellt"
        "|unbefristet",
        "krank|verletzt|im krankenhaus|krankgeschrieben|in reha|in der reha/gesund|genesen|geheilt|wieder fit"
        "|entlassen",
        "in elternzeit|im urlaub|im sabbatical|abwesend|verreist|im ausland/zurück|wieder da|wieder im büro"
        "|wieder zu hause",
        "schwanger/entbunden|mutter geworden|geboren",
        "lebt|lebendig/tot|gestorben|verstorben",
        "öffentlich|quelloffen|frei zugänglich/privat|proprietär|intern|nur für mitglieder|vertraulich",
        "kostenlos|gratis|umsonst|kostenfrei|frei/kostenpflichtig|gebührenpflichtig|bezahlt|kostet",
        "manuell|von hand|händisch/automatisch|automatisiert|maschinell",
        "eigenem server|eigenen servern|im eigenen rechenzentrum|im keller|lokal|vor ort|auf einer vm|on-premises"
        "/cloud|in der cloud|aws|azure|kubernetes",
        "im homeoffice|von zu hause|online|virtuell|remote|per video/vor ort|im büro|in präsenz|persönlich",
        "vollzeit/teilzeit|halbtags",
        "beantragt|in verhandlung|eingereicht|ausstehend|wird geprüft|in prüfung/genehmigt|bewilligt|angenommen"
        "|bestätigt|zugelassen/abgelehnt|verweigert|zurückgewiesen",
        "in der testphase|im test|testbetrieb|beta|probeweise|vorläufig|kommissarisch|in probezeit|in der probezeit"
        "/stabil|produktiv|im regelbetrieb|endgültig|dauerhaft|fest",
        "vegetarier|vegetarierin|vegetarisch|veganer|vegan/isst fleisch|isst wieder fleisch",
        "raucher|raucherin|raucht/nichtraucher|nichtraucherin|aufgehört zu rauchen",
        "unbezahlt|fällig|überfällig|offen/bezahlt|beglichen|abbezahlt|getilgt",
        "vermisst|verschwunden|gestohlen|verloren/gefunden|aufgetaucht|wieder da",
        "in familienbesitz|inhabergeführt|unabhängig|eigenständig/übernommen|aufgekauft|verkauft an"
        "|tochtergesellschaft|gehört zu/börsennotiert|an der börse",
        "unbesetzt|vakant|offen/besetzt|vergeben",
        "verpflichtend|pflicht|obligatorisch/freiwillig|optional",
        "erlaubt|gestattet|zugelassen/verboten|untersagt",
        "rot/blau/grün/gelb/weiß/schwarz/grau/orange/lila/rosa/braun",
        "gas|gasheizung/wärmepumpe/öl|ölheizung/fernwärme/pellets/solar/elektrisch|strom|elektro/diesel/benzin",
        "unreif|in knospe/reif|in blüte|geerntet|blüht",
    ),
    "es": (
        "en existencia|disponible/agotado|agotada",
        "temporal|provisional/permanente|indefinido|indefinida",
        "en papel|a mano/digital|electrónico|electrónica",
        "convencional/ecológico|ecológica|orgánico|orgánica",
        "en huelga/con normalidad|huelga terminó|terminó la huelga",
        "cerrado con llave/abierto con llave",
        "abierto|abierta|en curso|en progreso|en proceso|pendiente|sin resolver|sin terminar|en revisión|a la espera"
        "|incompleto|incompleta|inacabado|inacabada/resuelto|resuelta|cerrado|cerrada|terminado|terminada|acabado"
        "|acabada|completado|completada|arreglado|arreglada|finalizado|finalizada|concluido|concluida/cancelado"
        "|cancelada|descartado|descartada",
        "previsto|prevista|planeado|planeada|planificado|planificada|propuesto|propuesta|en proyecto|borrador|pedido"
        "|en desarrollo|en diseño|en fase de diseño/en construcción|en obras|se está construyendo|en reforma"
        "|en renovación/terminado|terminada|construido|construida|inaugurado|inaugurada|abierto|abierta|en producción"
        "|en funcionamiento|publicado|publicada|entregado|entregada|instalado|instalada|lanzado|lanzada/cancelado"
        "|cancelada|abandonado|abandonada|rechazado|rechazada",
        "vacío|vacía|desocupado|desocupada|libre|en alquiler|en venta|deshabitado|deshabitada/alquilado|alquilada"
        "|ocupado|ocupada|vendido|vendida|habitado|habitada|reservado|reservada",
        "soltero|soltera/comprometido|comprometida|prometido|prometida/casado|casada|se casó/divorciado|divorciada"
        "|separado|separada/viudo|viuda",
        "desempleado|desempleada|en paro|sin trabajo|busca trabajo|buscando trabajo/empleado|empleada|trabaja como"
        "|trabaja en|trabaja de|contratado|contratada|autónomo|autónoma/jubilado|jubilada|se jubiló",
        "estudiante|estudia|estudiando|en la universidad|becario|becaria|aprendiz/graduado|graduada|se graduó"
        "|licenciado|licenciada|terminó la carrera|titulado|titulada",
        "funciona|operativo|operativa|en línea|en marcha|reparado|reparada|estable|arreglado|arreglada/averiado"
        "|averiada|roto|rota|estropeado|estropeada|fuera de servicio|caído|caída|en reparación|dañado|dañada"
        "|no funciona|inestable",
        "activo|activa|en uso|en vigor|encendido|encendida|habilitado|habilitada|activado|activada|vigente|abierto"
        "|abierta/inactivo|inactiva|en desuso|apagado|apagada|deshabilitado|deshabilitada|desactivado|desactivada"
        "|suspendido|suspendida|caducado|caducada|en pausa|pausado|pausada|cerrado|cerrada",
        "en camino|en tránsito|enviado|enviada|en reparto|en la aduana|empaquetado/entregado|entregada|llegó|recibido"
        "|recibida|ha llegado|recogido",
        "borrador|en borrador|en redacción|en preparación/presentado|presentada|enviado|enviada|publicado|publicada"
        "|aceptado|aceptada|entregado",
        "autónomo|autónoma|por cuenta propia/empleo fijo|contrato fijo|contrato indefinido|en plantilla|asalariado"
        "|asalariada",
        "enfermo|enferma|lesionado|lesionada|hospitalizado|hospitalizada|de baja|ingresado|ingresada/recuperado"
        "|recuperada|sano|sana|curado|curada|de alta",
        "de vacaciones|de permiso|de viaje|en el extranjero|ausente/de vuelta|ha vuelto|regresó|volvió al trabajo",
        "embarazada/dio a luz|tuvo un bebé|ha dado a luz",
        "vivo|viva/muerto|muerta|murió|falleció|fallecido|fallecida",
        "público|pública|código abierto|de código abierto/privado|privada|propietario|interno|interna|confidencial",
        "gratis|gratuito|gratuita/de pago|cuesta|pagado|pagada",
        "manual|manualmente|a mano/automático|automática|automáticamente|automatizado|automatizada",
        "servidor propio|servidores propios|local|en las instalaciones|máquina virtual/nube|en la nube|aws|azure"
        "|kubernetes",
        "a distancia|en remoto|remoto|teletrabaja|desde casa|virtual|por videollamada/presencial|en persona"
        "|en la oficina",
        "jornada completa|tiempo completo/media jornada|tiempo parcial",
        "pendiente|solicitado|solicitada|en negociación|presentado|presentada|en trámite/aprobado|aprobada|concedido"
        "|concedida|aceptado|aceptada|confirmado|confirmada/rechazado|rechazada|denegado|denegada",
        "en pruebas|en fase de pruebas|beta|piloto|provisional|interino|interina|a prueba|en período de prueba/estable"
        "|en producción|definitivo|definitiva|permanente|fijo|fija",
        "vegetariano|vegetariana|vegano|vegana/come carne",
        "fumador|fumadora|fuma/dejó de fumar|no fumador",
        "impagado|impagada|pendiente de pago|vencido|vencida/pagado|pagada|saldado|saldada|liquidado|liquidada",
        "perdido|perdida|desaparecido|desaparecida|robado|robada/encontrado|encontrada|apareció|recuperado|recuperada",
        "independiente|familiar|empresa familiar/adquirido|adquirida|comprado por|comprada por|filial|forma parte"
        "/cotiza en bolsa|salió a bolsa",
        "vacante|sin cubrir/cubierto|cubierta|asignado|asignada",
        "obligatorio|obligatoria/opcional|voluntario|voluntaria",
        "permitido|permitida/prohibido|prohibida",
        "rojo|roja/azul/verde/amarillo|amarilla/blanco|blanca/negro|negra/gris/naranja/morado|morada/rosa/marrón",
        "gas|caldera de gas/bomba de calor/gasóleo/diésel/gasolina/eléctrico|eléctrica|electricidad/solar",
    ),
    "fr": (
        "ouvert|ouverte|en cours|en attente|non résolu|inachevé|inachevée|en révision/résolu|résolue|fermé|fermée"
        "|terminé|terminée|achevé|achevée|corrigé|corrigée|clos|close/annulé|annulée|abandonné|abandonnée",
        "prévu|prévue|planifié|planifiée|proposé|en projet|brouillon|commandé|commandée|en développement"
        "/en construction|en travaux|en rénovation/terminé|terminée|construit|construite|inauguré|inaugurée|ouvert"
        "|ouverte|en production|en service|publié|publiée|livré|livrée|installé|installée|lancé|lancée/annulé|annulée"
        "|abandonné|abandonnée|rejeté|rejetée",
        "vide|vacant|vacante|libre|inoccupé|inoccupée|à louer|à vendre/loué|louée|occupé|occupée|vendu|vendue|habité"
        "|habitée",
        "célibataire/fiancé|fiancée/marié|mariée/divorcé|divorcée|séparé|séparée/veuf|veuve",
        "au chômage|sans emploi|cherche un emploi/employé|employée|travaille comme|travaille chez|embauché|embauchée"
        "|indépendant/retraité|retraitée|à la retraite",
        "étudiant|étudiante|étudie|stagiaire|apprenti|apprentie/diplômé|diplômée",
        "fonctionne|en ligne|opérationnel|opérationnelle|réparé|réparée|stable/en panne|cassé|cassée|hors service"
        "|hors ligne|en réparation|endommagé|défectueux",
        "actif|active|activé|activée|en vigueur|allumé|allumée|ouvert|ouverte|valide/inactif|inactive|désactivé"
        "|désactivée|éteint|éteinte|suspendu|suspendue|expiré|expirée|en pause|fermé|fermée",
        "malade|blessé|blessée|hospitalisé|hospitalisée|en arrêt maladie/guéri|guérie|rétabli|rétablie|en bonne santé",
        "en congé|en vacances|absent|absente|à l'étranger/de retour|revenu|revenue",
        "public|publique|open source/privé|privée|propriétaire|interne",
        "gratuit|gratuite/payant|payante",
        "manuel|manuelle|à la main|manuellement/automatique|automatiquement|automatisé|automatisée",
        "à distance|en ligne|télétravail|virtuel/en présentiel|sur place|au bureau",
        "temps plein/temps partiel|mi-temps",
        "en attente|demandé|déposé|en négociation/approuvé|approuvée|accepté|acceptée|accordé|confirmé|confirmée"
        "/refusé|refusée|rejeté|rejetée",
        "impayé|impayée|dû|due/payé|payée|réglé|réglée|remboursé|remboursée",
        "perdu|perdue|volé|volée|disparu|disparue/retrouvé|retrouvée",
        "indépendant|indépendante|familial|familiale/racheté|rachetée|filiale|acquis|acquise/coté|cotée",
        "obligatoire/facultatif|facultative",
        "autorisé|autorisée|permis|permise/interdit|interdite",
        "rouge/bleu|bleue/vert|verte/jaune/blanc|blanche/noir|noire/gris|grise/orange/violet|violette/rose/marron",
        "végétarien|végétarienne|végan/mange de la viande",
        "en test|en essai|bêta|pilote|provisoire|par intérim/stable|définitif|définitive|en production",
        "vivant|vivante/mort|morte|décédé|décédée",
        "enceinte/a accouché",
    ),
    "it": (
        "aperto|aperta|in corso|in sospeso|irrisolto|incompiuto|in revisione/risolto|risolta|chiuso|chiusa|terminato"
        "|terminata|finito|finita|completato|completata/annullato|annullata|abbandonato|abbandonata",
        "previsto|prevista|pianificato|pianificata|in progetto|bozza|ordinato|in sviluppo/in costruzione"
        "|in ristrutturazione/finito|finita|costruito|costruita|inaugurato|inaugurata|in produzione|in funzione"
        "|pubblicato|pubblicata|consegnato|consegnata|installato|installata/annullato|annullata|respinto|respinta",
        "vuoto|vuota|libero|libera|sfitto|sfitta|in vendita|in affitto/affittato|affittata|occupato|occupata|venduto"
        "|venduta",
        "single|celibe|nubile/fidanzato|fidanzata/sposato|sposata/divorziato|divorziata|separato|separata/vedovo"
        "|vedova",
        "disoccupato|disoccupata|cerca lavoro/impiegato|impiegata|lavora come|assunto|assunta/pensionato|pensionata"
        "|in pensione",
        "studente|studentessa|studia|tirocinante/laureato|laureata|diplomato|diplomata",
        "funziona|online|operativo|operativa|riparato|riparata|stabile/guasto|guasta|rotto|rotta|fuori servizio"
        "|offline|in riparazione|danneggiato",
        "attivo|attiva|in uso|in vigore|acceso|accesa|abilitato|attivato|aperto|aperta|valido/inattivo|inattiva|spento"
        "|spenta|disabilitato|disattivato|sospeso|sospesa|scaduto|scaduta|in pausa|chiuso|chiusa",
        "malato|malata|infortunato|infortunata|in ospedale/guarito|guarita|ristabilito|sano|sana",
        "in ferie|in vacanza|in congedo|assente/tornato|tornata|rientrato|rientrata",
        "pubblico|pubblica|open source/privato|privata|proprietario|interno",
        "gratis|gratuito|gratuita/a pagamento",
        "manuale|manualmente|a mano/automatico|automatica|automaticamente|automatizzato",
        "da remoto|a distanza|online|da casa/in presenza|in ufficio|di persona",
        "in attesa|richiesto|richiesta|presentato/approvato|approvata|accettato|accettata|concesso|confermato"
        "|confermata/rifiutato|rifiutata|respinto|respinta|negato",
        "non pagato|insoluto|scaduto/pagato|pagata|saldato|saldata",
        "perso|persa|smarrito|smarrita|rubato|rubata/ritrovato|ritrovata|trovato|trovata",
        "indipendente|a conduzione familiare/acquisito|acquisita|filiale/quotato|quotata",
        "obbligatorio|obbligatoria/facoltativo|facoltativa",
        "permesso|permessa|consentito|consentita/vietato|vietata|proibito",
        "rosso|rossa/blu/verde/giallo|gialla/bianco|bianca/nero|nera/grigio|grigia/arancione/viola/rosa/marrone",
        "vegetariano|vegetariana|vegano|vegana/mangia carne",
        "vivo|viva/morto|morta|deceduto|deceduta",
    ),
    "pt": (
        "aberto|aberta|em andamento|em curso|pendente|inacabado|em revisão/resolvido|resolvida|fechado|fechada"
        "|terminado|terminada|concluído|concluída|acabado|corrigido|corrigida/cancelado|cancelada|abandonado",
        "previsto|prevista|planejado|planejada|planeado|proposto|em projeto|rascunho|encomendado|em desenvolvimento"
        "/em construção|em obras|em reforma/terminado|concluído|concluída|construído|construída|inaugurado|inaugurada"
        "|em produção|publicado|publicada|entregue|instalado|instalada|lançado|lançada/cancelado|cancelada|rejeitado"
        "|rejeitada",
        "vazio|vazia|vago|vaga|desocupado|desocupada|à venda|para alugar/alugado|alugada|ocupado|ocupada|vendido"
        "|vendida",
        "solteiro|solteira/noivo|noiva/casado|casada/divorciado|divorciada|separado|separada/viúvo|viúva",
        "desempregado|desempregada|procura emprego/empregado|empregada|trabalha como|contratado|contratada/aposentado"
        "|aposentada|reformado|reformada",
        "estudante|estuda|estagiário|estagiária/formado|formada|graduado|graduada|licenciado",
        "funciona|online|operacional|consertado|consertada|estável/avariado|avariada|quebrado|quebrada|fora de serviço"
        "|em conserto|danificado|estragado",
        "ativo|ativa|em uso|em vigor|ligado|ligada|ativado|habilitado|aberto|aberta|válido/inativo|inativa|desligado"
        "|desligada|desativado|suspenso|suspensa|expirado|em pausa|fechado|fechada",
        "doente|ferido|ferida|lesionado|lesionada|internado|internada/recuperado|recuperada|saudável|curado|curada",
        "de férias|de licença|ausente/de volta|voltou|regressou",
        "público|pública|código aberto/privado|privada|proprietário|interno",
        "grátis|gratuito|gratuita/pago|paga",
        "manual|manualmente|à mão/automático|automática|automaticamente|automatizado",
        "remoto|à distância|de casa|online/presencial|no escritório",
        "pendente|solicitado|em negociação/aprovado|aprovada|aceito|aceita|concedido|confirmado|confirmada/rejeitado"
        "|rejeitada|recusado|recusada|negado",
        "perdido|perdida|roubado|roubada/encontrado|encontrada|recuperado",
        "independente|familiar/adquirido|adquirida|comprado por|comprada por|subsidiária",
        "obrigatório|obrigatória/opcional|facultativo",
        "permitido|permitida/proibido|proibida",
        "vermelho|vermelha/azul/verde/amarelo|amarela/branco|branca/preto|preta/cinza|cinzento/laranja/roxo|roxa"
        "/marrom|castanho",
        "vegetariano|vegetariana|vegano|vegana/come carne",
        "vivo|viva/morto|morta|morreu|faleceu",
    ),
    "nl": (
        "open|lopend|in behandeling|onopgelost|onafgemaakt|loopt nog/opgelost|gesloten|afgerond|klaar|voltooid"
        "|afgesloten|verholpen/geannuleerd|afgelast",
        "gepland|voorgesteld|concept|besteld|in ontwikkeling/in aanbouw|wordt gebouwd|wordt verbouwd/klaar|voltooid"
        "|gebouwd|geopend|in gebruik|in productie|gepubliceerd|geleverd|geïnstalleerd/geannuleerd|afgewezen",
        "leeg|leegstaand|vrij|te huur|te koop/verhuurd|bewoond|bezet|verkocht",
        "vrijgezel|ongehuwd/verloofd/getrouwd|gehuwd/gescheiden/weduwe|weduwnaar",
        "werkloos|werkzoekend/werkt als|werkt bij|in dienst|zelfstandig/gepensioneerd|met pensioen",
        "student|studente|studeert|stagiair/afgestudeerd",
        "werkt|online|operationeel|gerepareerd|stabiel/kapot|defect|buiten werking|offline|in reparatie|beschadigd",
        "actief|in gebruik|ingeschakeld|aan|geldig|open|van kracht/inactief|buiten gebruik|uitgeschakeld|uit|ongeldig"
        "|verlopen|opgeschort|gepauzeerd|gesloten|dicht",
        "ziek|gewond|in het ziekenhuis/hersteld|genezen|gezond|beter",
        "met verlof|op vakantie|afwezig/terug",
        "openbaar|publiek|open source/privé|besloten|intern",
        "gratis/betaald|betalend",
        "handmatig|met de hand/automatisch|geautomatiseerd",
        "op afstand|thuis|online/op kantoor|ter plaatse",
        "aangevraagd|in onderhandeling|ingediend/goedgekeurd|toegekend|aanvaard|bevestigd/afgewezen|geweigerd",
        "onbetaald|openstaand/betaald|afbetaald|voldaan",
        "kwijt|vermist|gestolen|verloren/gevonden|terecht",
        "onafhankelijk|familiebedrijf/overgenomen|dochteronderneming/beursgenoteerd",
        "verplicht/optioneel|vrijwillig",
        "toegestaan/verboden",
        "rood|rode/blauw|blauwe/groen|groene/geel|gele/wit|witte/zwart|zwarte/grijs|grijze/oranje/paars|paarse/roze"
        "/bruin|bruine",
        "vegetariër|vegetarisch|veganist/eet vlees",
        "levend/dood|overleden",
    ),
}
