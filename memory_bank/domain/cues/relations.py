"""Relations of a thing to one value at a time, and kinds of values that exclude each other, by language.

Phrases are separated by `|`, classes by `/`; written like `changes`.
"""

# Any two phrases of a row may meet: "lives in" and "moved to".
RELATIONS: dict[str, tuple[str, ...]] = {
    "en": (
        "lives in|live in|lives at|resides in|based in|moved to|has moved to|relocated to|settled in|lodges in"
        "|shares a flat in|home is in|rents a flat in|rents a room in|located in|headquartered in"
        "|moved its head office to|moved back to|emigrated to",
        "works at|works for|works as|employed by|employed at|joined|a job at|job is at|moved to|hired by|started at"
        "|started as|went to work for|changed jobs to|promoted to|appointed|became",
        "runs on|runs in|run on|run in|hosted on|hosted by|hosted at|hosted in|deployed on|deployed to"
        "|deployed by hand on|deployed in|served from|lives on|moved to|migrated to|switched to|installed on|ported to"
        "|sits on",
        "stored in|stored on|stored at|stored under|kept in|kept on|kept at|kept under|kept behind|kept with|lies in"
        "|lies under|hangs in|stands in|stands on|moved to|parked in|parked at|parked on|housed in|saved in|saved to"
        "|archived in|lives in",
        "written in|implemented in|coded in|built in|built with|built on|rewritten in|ported to|programmed in"
        "|compiled with|bundled with|tested with|generated with|based on",
        "owned by|belongs to|acquired by|bought by|sold to|taken over by|property of|passed to|handed to"
        "|handed over to|transferred to|inherited by|maintained by|looked after by|led by|run by|managed by|headed by"
        "|chaired by|edited by|coached by|supervised by",
        "commutes by|travels by|goes by|gets to work by|goes to work by|comes by|travels to work by",
        "heated by|heated with|powered by|fuelled by|runs on|cooled by",
        "painted|dyed|coloured",
        "scheduled for|planned for|due on|due in|moved to|postponed to|takes place on|takes place in|takes place at"
        "|held on|held in|held at|rescheduled for|brought forward to|meets in|meets at|meets on|happens on|set for"
        "|relocated to",
        "married to|engaged to|dating",
        "reports to|managed by|supervised by",
        "drives a|drives an",
        "logs in with|authenticates with|authenticated with|authenticated by|authenticated via|signs in with|paid by"
        "|pays by|pays with|delivered by|supplied by|provided by|insured with|insured by|banks with",
    ),
    "de": (
        "wohnt in|lebt in|ansässig in|sitz in|umgezogen nach|zog nach|gezogen nach|wohnt jetzt in|sitzt in",
        "arbeitet bei|arbeitet als|arbeitet für|angestellt bei|wechselte zu|gewechselt zu",
        "läuft auf|läuft in|gehostet auf|gehostet bei|umgezogen auf|migriert auf|liegt auf|umgestellt auf",
        "gelagert in|aufbewahrt in|liegt in|liegt im|steht in|steht im|hängt im|geparkt in|gespeichert in"
        "|gespeichert auf",
        "geschrieben in|implementiert in|umgeschrieben in|gebaut mit|portiert nach",
        "gehört der|gehört dem|gehört jetzt|gehört seit|geleitet von|betrieben von|gekauft von|übernommen von"
        "|verkauft an|betreut von|geführt von",
        "findet statt in|findet im|findet am|geplant für|verlegt auf|verschoben auf|trifft sich im|trifft sich am"
        "|angesetzt für",
        "verheiratet mit|verlobt mit",
        "beheizt mit|geheizt mit|heizt mit|betrieben mit|umgestellt auf",
        "geliefert von|versichert bei",
    ),
    "es": (
        "vive en|reside en|se mudó a|se ha mudado a|se trasladó a|con sede en|tiene su sede en|ubicado en|ubicada en",
        "trabaja en|trabaja para|trabaja como|trabaja de|contratado por|contratada por|empleado en|empleada en",
        "corre en|se ejecuta en|alojado en|alojada en|desplegado en|desplegada en|migró a|migrado a|migrada a"
        "|se migró a|funciona en|pasó a|se trasladó a|se movió a|trasladado a|trasladada a|se pasó a",
        "guardado en|guardada en|se guarda en|se guardan en|almacenado en|almacenada en|está en|aparcado en",
        "escrito en|escrita en|implementado en|implementada en|reescrito en|reescrita en|programado en|programada en",
        "pertenece a|propiedad de|adquirido por|adquirida por|comprado por|vendido a|dirigido por|dirigida por"
        "|gestionado por|gestionada por",
        "se celebra en|se celebra el|tiene lugar en|programado para|programada para|prevista para|previsto para"
        "|se reúne en|se reúne los|aplazado al|trasladado al",
        "casado con|casada con",
        "calienta con|funciona con",
    ),
    "fr": (
        "habite à|vit à|réside à|a déménagé à|basé à|basée à|siège à|installé à|installée à",
        "travaille chez|travaille pour|travaille comme|embauché par|employé par",
        "hébergé sur|hébergé chez|hébergée sur|déployé sur|déployée sur|tourne sur|migré vers|migrée vers|passé à",
        "rangé dans|rangée dans|stocké dans|stockée dans|garé dans|se trouve dans|conservé dans",
        "écrit en|écrite en|réécrit en|développé en",
        "appartient à|dirigé par|dirigée par|racheté par|vendu à|géré par|gérée par",
        "a lieu à|a lieu le|prévu pour|prévue pour|reporté au|déplacé au|se réunit le",
        "marié à|mariée à",
    ),
    "it": (
        "abita a|vive a|risiede a|si è trasferito a|si è trasferita a|con sede a|ha sede a",
        "lavora per|lavora presso|lavora come|assunto da|assunta da",
        "ospitato su|gira su|distribuito su|migrato su|passato a",
        "conservato in|conservata in|custodito in|si trova in|parcheggiata in",
        "scritto in|scritta in|riscritto in|sviluppato in",
        "appartiene a|diretto da|diretta da|acquisito da|venduto a|gestito da",
        "si tiene a|si tiene il|si svolge a|previsto per|rinviato al|spostato al",
        "sposato con|sposata con",
    ),
    "pt": (
        "mora em|vive em|reside em|mudou-se para|com sede em|sediado em|sediada em",
        "trabalha em|trabalha na|trabalha no|trabalha para|trabalha como|contratado por",
        "hospedado em|hospedado na|roda em|roda na|implantado em|migrou para|migrado para",
        "guardado em|guardada em|armazenado em|fica em",
        "escrito em|escrita em|reescrito em|desenvolvido em",
        "pertence a|dirigido por|adquirido por|vendido a|gerido por",
        "acontece em|acontece na|marcado para|marcada para|adiado para|transferido para",
        "casado com|casada com",
    ),
    "nl": (
        "woont in|verhuisde naar|verhuisd naar|gevestigd in|zetelt in",
        "werkt bij|werkt voor|werkt als|in dienst bij",
        "draait op|gehost op|gehost bij|gemigreerd naar|overgestapt op",
        "opgeslagen in|bewaard in|ligt in|staat in",
        "geschreven in|herschreven in|gebouwd met",
        "eigendom van|geleid door|overgenomen door|verkocht aan|beheerd door",
        "vindt plaats in|vindt plaats op|gepland voor|verplaatst naar|verzet naar",
        "getrouwd met",
    ),
    "zh": (
        "住在|居住在|定居|搬到|搬至|迁至|迁到|总部在|总部位于|总部设在|位于|设在|坐落在|迁往",
        "就职于|任职于|工作于|入职|跳槽到|加入|在职于",
        "部署在|托管在|运行在|运行于|迁移到|迁移至|迁到|托管于|跑在",
        "存放在|存储在|保存在|放在|停在|挂在|摆在|移到|挪到",
        "编写|写成|用",
        "属于|归|由|收购|卖给|转让给",
        "举行|改到|改在|定在|安排在|推迟到|提前到",
        "嫁给|娶了|与",
        "改用|换成|改为|切换到|使用",
    ),
    "ja": (
        "住んで|暮らし|引っ越し|移住|本社は|本社を",
        "勤務|勤めて|働いて|転職|入社",
        "稼働|動いて|ホスト|移行|デプロイ",
        "保管|保存|置いて|しまって|移し",
        "書かれて|実装|書き直",
        "所有|買収|運営|担当",
        "開催|行われ|変更|延期",
        "結婚",
    ),
    "ko": (
        "살고|거주|이사",
        "근무|일하|이직|입사",
        "배포|호스팅|이전|옮겼",
        "보관|저장|두었",
        "작성|구현",
        "소유|인수|운영|담당",
        "열린|열립|개최|변경|연기",
        "결혼",
    ),
}

# Two of one kind in the same place exclude each other.
KINDS: dict[str, tuple[str, ...]] = {
    "en": (
        "daily|every day|nightly|every night/weekly|every week|once a week/fortnightly|every two weeks|biweekly"
        "|every other week/monthly|every month|once a month/quarterly|every quarter/yearly|annually|every year"
        "|once a year",
        "morning|mornings|in the morning/afternoon|afternoons|in the afternoon/evening|evenings|in the evening",
        "monday|mondays/tuesday|tuesdays/wednesday|wednesdays/thursday|thursdays/friday|fridays/saturday|saturdays"
        "/sunday|sundays",
    ),
    "de": (
        "täglich|jeden tag/wöchentlich|jede woche|einmal pro woche/monatlich|jeden monat/jährlich|jedes jahr"
        "|einmal im jahr",
        "montag|montags/dienstag|dienstags/mittwoch|mittwochs/donnerstag|donnerstags/freitag|freitags/samstag|samstags"
        "/sonntag|sonntags",
    ),
    "es": (
        "diario|diaria|cada día|diariamente/semanal|cada semana/mensual|cada mes/anual|cada año",
        "lunes/martes/miércoles/jueves/viernes/sábado|sábados/domingo|domingos",
    ),
    "fr": (
        "lundi/mardi/mercredi/jeudi/vendredi/samedi/dimanche",
        "quotidien|quotidienne|tous les jours/hebdomadaire|chaque semaine/mensuel|mensuelle|chaque mois/annuel"
        "|annuelle|chaque année",
    ),
    "it": ("lunedì/martedì/mercoledì/giovedì/venerdì/sabato/domenica",),
    "pt": ("segunda-feira/terça-feira/quarta-feira/quinta-feira/sexta-feira/sábado/domingo",),
    "nl": ("maandag/dinsdag/woensdag/donderdag/vrijdag/zaterdag/zondag",),
    "zh": (
        "每天|每日/每周/每月/每季度/每年",
        "周一|星期一/周二|星期二/周三|星期三/周四|星期四/周五|星期五/周六|星期六/周日|星期日|星期天",
        "早上|上午/下午/晚上",
    ),
    "ja": (
        "毎日/毎週/毎月/毎年/隔週",
        "月曜/火曜/水曜/木曜/金曜/土曜/日曜",
        "午前|朝/午後|昼/夜|夕方",
    ),
    "ko": (
        "월요일/화요일/수요일/목요일/금요일/토요일/일요일",
        "매일/매주/매월|매달/매년",
    ),
}

# Attitudes to one thing of which one class excludes the other.
ATTITUDES: dict[str, tuple[str, ...]] = {
    "en": (
        "likes|like|loves|love|enjoys|enjoy|adores|adore|is fond of|is keen on|fan of"
        "/hates|hate|dislikes|dislike|detests|detest|loathes|loathe|despises|can't stand|cannot stand|can't bear",
    ),
    "de": ("mag|liebt|schwärmt für/hasst|verabscheut",),
    "es": ("le gusta|le gustan|ama|adora|le encanta|le encantan/odia|detesta|aborrece",),
    "fr": ("aime|adore/déteste|hait",),
    "it": ("ama|adora|gli piace|le piace|gli piacciono|le piacciono/odia|detesta",),
    "pt": ("gosta de|ama|adora/odeia|detesta",),
    "nl": ("houdt van|is dol op/haat|verafschuwt",),
}
