"""Words that tell whether a thing has one value of an attribute at a time or may have many, by language.

Phrases are separated by `|`; written like `changes`.
"""

# One value at a time: what there is one of, and words that say so of anything.
SINGLE: dict[str, str] = {
    "en": (
        "only|whole|entire|entirely|wholly|sole|solely|exclusively|single|unique|default|defaults|defaults to"
        "|by default|primary|main|mainly|principal|current|currently|favourite|favorite|preferred|official|chief|usual"
        "|named|called|known as|titled|nicknamed|owner|owned by|maintainer|maintained by|lead|led by|leader|head"
        "|headed by|manager|managed by|director|run by|chair|chaired by|chairman|chairwoman|captain|coach|coached by"
        "|boss|supervisor|mayor|president|ceo|cto|cfo|chef|treasurer|secretary|clerk|deputy|organiser|organizer"
        "|coordinator|administrator|admin|moderator|caretaker|janitor|gardener|cleaner|driver|pilot|drummer|singer"
        "|guitarist|bassist|pianist|conductor|soloist|librarian|curator|referee|goalkeeper|striker|headteacher"
        "|headmaster|rector|dean|chancellor|minister|governor|commander|producer|translator|illustrator|narrator"
        "|godfather|godmother|guardian|roommate|flatmate|therapist|physiotherapist|hairdresser|babysitter|nanny"
        "|midwife|notary|auditor|tax adviser|broker|agent|spokesperson|spokeswoman|spokesman|representative|delegate"
        "|reviewer|product owner|scrum master|tech lead|team lead|keeper|tenant|lodger|host|hosted by|presenter"
        "|headquarters|headquartered|head office|main office|based in|seat|capital|address|home|birthplace|born"
        "|residence|lives in|live in|resides in|hometown|postcode|phone|password|passphrase|username|nickname|name"
        "|title|colour|color|painted|size|shape|weight|height|length|width|depth|price|fee|rent|salary|budget|deadline"
        "|due|due date|due on|date|birthday|anniversary|start date|end date|time|day|weekday|venue|location|located in"
        "|located at|takes place in|takes place at|takes place on|takes place|held in|held at|held on|held every"
        "|meets in|meets at|meets on|meets every|meet at|meet in|meet on|policy|home ground|home stadium|departs from"
        "|leaves from|starts from|starts on|starts at|begins on|begins at|ends on|ends at|closes at|opens at"
        "|scheduled for|planned for|room|floor|gate|platform|status|state|stage|phase|mode|level|log level|theme"
        "|locale|timezone|time zone|currency|language|encoding|license|licence|region|zone|cluster|provider|vendor"
        "|supplier|supplied by|carrier|bank|insurer|landlord|employer|works for|works at|works as|employed by"
        "|employed at|job|profession|occupation|role|rank|position|reports to|married to|spouse|wife|husband|fiancé"
        "|fiancée|partner|engaged to|mother|father|gp|doctor|dentist|vet|lawyer|accountant|tutor|teacher|mentor"
        "|nationality|religion|blood type|sex|gender|breed|species|model|brand|make|engine|framework|database"
        "|primary database|primary key|branch|main branch|base image|runtime|compiler|bundler|package manager"
        "|build tool|test runner|orchestrator|written in|implemented in|coded in|hosted on|hosted at|hosted in"
        "|deployed to|deployed on|stored in|stored on|stored at|kept in|kept at|kept on|parked in|parked at|parked on"
        "|housed in|lies in|format|protocol|algorithm|method|strategy|schedule|frequency|interval|cadence|contact"
        "|point of contact|on call|signatory|heir|winner|champion|record holder|author|written by|founded by|founder"
        "|designed by|architect|composer|composed by|painter|invented by|inventor|publisher|published by|editor"
        "|photographer|approver|approved by|signed by|responsible|responsible for|in charge|in charge of|accountable"
        "|assigned to|assignee|belongs to|sponsor|sponsored by|patron|slogan|motto|logo|goal|target|topic|subject"
        "|codename|code name|domain|url|endpoint|hostname|port|bucket|queue|path|root|shell|terminal|browser"
        "|search engine|operating system|os|fuel|runs on|powered by|heated by|heated with|material|base|crust|filling"
        "|dessert|starter|main course|side dish|first|last|next|biggest|largest|smallest|tallest|oldest|youngest|best"
        "|worst|nearest|closest|highest|lowest|fastest|longest|cheapest|most|least|always|commutes by|gets to work by"
        "|travels by|drives a|seat number|grade|class|diet|plan|tariff|subscription plan|tier|edition|licensed under"
        "|released under|distributed under|stands in|sits in|sits on|hangs in|key is|spare key|comes from"
        "|originates from|sourced from|ordered from|bought from|delivered by|done by|handled by|organised by"
        "|organized by|operated by|taught by|cooked with|thickened with|sweetened with|seasoned with|fried in|baked in"
        "|served with|dressed with"
    ),
    "de": (
        "nur|gesamt|gesamte|gesamter|gesamtes|ganze|ganzer|ganzes|einzig|einzige|einziger|einziges|einzigen"
        "|ausschließlich|allein|alleinige|standard|standardmäßig|voreingestellt|vorgabe|haupt|hauptsitz|hauptstadt"
        "|zentrale|firmensitz|sitz|hauptsächlich|primär|primäre|primärer|aktuell|aktuelle|aktueller|derzeit|derzeitige"
        "|derzeitiger|liebling|lieblings|bevorzugt|bevorzugte|offiziell|offizielle|heißt|genannt|namens|name|titel"
        "|besitzer|eigentümer|inhaber|leiter|leiterin|leitet|geleitet von|leitung|chef|chefin|geschäftsführer"
        "|geschäftsführerin|vorsitzender|vorsitzende|vorsitz|trainer|trainerin|kapitän|bürgermeister|bürgermeisterin"
        "|zuständig|verantwortlich|verantwortliche|ansprechpartner|ansprechpartnerin|adresse|anschrift|wohnt in"
        "|lebt in|wohnort|geburtsort|geboren|telefonnummer|passwort|kennwort|benutzername|spitzname|farbe|größe"
        "|gewicht|höhe|länge|breite|preis|miete|gebühr|gehalt|frist|termin|stichtag|datum|geburtstag|tag|uhrzeit|ort"
        "|treffpunkt|veranstaltungsort|findet in|findet im|findet am|raum|zimmer|stockwerk|etage|gleis|status|zustand"
        "|phase|modus|stufe|protokollstufe|log-level|thema|sprache|zeitzone|währung|lizenz|region|anbieter|lieferant"
        "|vermieter|arbeitgeber|arbeitet bei|arbeitet als|arbeitet für|angestellt bei|beruf|position|rolle"
        "|verheiratet mit|ehemann|ehefrau|partner|hausarzt|hausärztin|zahnarzt|zahnärztin|tierarzt|anwalt|lehrer"
        "|lehrerin|modell|marke|motor|framework|datenbank|zweig|hauptzweig|format|protokoll|verfahren|geschrieben in"
        "|läuft auf|läuft mit|gehostet bei|gehostet auf|liegt in|steht in|steht im|gespeichert in|gespeichert auf"
        "|passt auf|erste|erster|letzte|nächste|nächster|größte|größter|kleinste|älteste|jüngste|beste|höchste|immer"
        "|gebaut von|gegründet von|geschrieben von|betrieben von|betreibt|besteht aus|trifft sich|ziel|motto|domain"
        "|port|pfad|betriebssystem|tarif|passt|kommt aus|stammt aus|geliefert von"
    ),
    "es": (
        "todo|toda|entero|entera|solo|sólo|solamente|único|única|únicamente|exclusivamente|predeterminado"
        "|predeterminada|por defecto|defecto|principal|primario|primaria|actual|actualmente|favorito|favorita"
        "|preferido|preferida|oficial|se llama|llamado|llamada|nombre|título|dueño|dueña|propietario|propietaria"
        "|responsable|encargado|encargada|jefe|jefa|director|directora|dirige|dirigido por|dirigida por|lidera|líder"
        "|gerente|presidente|presidenta|alcalde|alcaldesa|entrenador|entrenadora|capitán|capitana|sede|sede central"
        "|sede principal|capital|domicilio|dirección|vive en|reside en|nació en|nació|teléfono|contraseña|usuario"
        "|apodo|color|tamaño|talla|peso|altura|precio|alquiler|cuota|sueldo|plazo|fecha|fecha límite|cumpleaños|día"
        "|hora|lugar|se celebra en|se celebra|tiene lugar|sala|aula|piso|planta|andén|estado|fase|modo|nivel|tema"
        "|idioma|lengua|zona horaria|moneda|licencia|región|proveedor|casero|trabaja en|trabaja como|trabaja para"
        "|profesión|puesto|cargo|casado con|casada con|marido|esposa|esposo|médico|médica|dentista|abogado|abogada"
        "|profesor|profesora|modelo|marca|motor|base de datos|rama|formato|protocolo|método|escrito en|escrita en"
        "|alojado en|alojada en|desplegado en|desplegada en|se guarda en|guardado en|primero|primera|último|última"
        "|próximo|próxima|mayor|mejor|peor|más|siempre|fundado por|escrito por|pertenece a|objetivo|lema|dominio"
        "|puerto|ruta|sistema operativo|plan|tarifa|viene de|proviene de|funciona con|corre en|está pintado"
        "|está pintada|se sirve con|contacto"
    ),
    "fr": (
        "tout|toute|entier|entière|seul|seule|seulement|unique|uniquement|exclusivement|par défaut|principal"
        "|principale|primaire|actuel|actuelle|actuellement|préféré|préférée|officiel|officielle|s'appelle|appelé"
        "|appelée|nommé|nom|titre|propriétaire|responsable|chef|directeur|directrice|dirigé par|dirige|gérant|gérante"
        "|président|présidente|maire|entraîneur|capitaine|siège|siège social|capitale|adresse|habite à|habite|vit à"
        "|réside|né à|née à|téléphone|mot de passe|surnom|couleur|taille|poids|prix|loyer|salaire|délai|date|échéance"
        "|anniversaire|jour|heure|lieu|a lieu|salle|étage|quai|statut|état|phase|mode|niveau|thème|langue"
        "|fuseau horaire|devise|licence|région|fournisseur|employeur|travaille chez|travaille comme|travaille pour"
        "|métier|poste|marié à|mariée à|mari|épouse|médecin|dentiste|avocat|modèle|marque|moteur|base de données"
        "|branche|format|protocole|méthode|écrit en|hébergé chez|hébergé sur|hébergée|déployé sur|stocké dans|premier"
        "|première|dernier|dernière|prochain|prochaine|plus grand|meilleur|toujours|fondé par|appartient à|objectif"
        "|port"
    ),
    "it": (
        "tutto|tutta|intero|intera|solo|soltanto|solamente|unico|unica|esclusivamente|predefinito|predefinita"
        "|principale|primario|attuale|attualmente|preferito|preferita|ufficiale|si chiama|chiamato|nome|titolo"
        "|proprietario|proprietaria|responsabile|capo|direttore|direttrice|diretto da|dirige|gestore|presidente"
        "|sindaco|allenatore|capitano|sede|capitale|indirizzo|abita a|vive a|risiede|nato a|nata a|telefono|password"
        "|soprannome|colore|taglia|dimensione|peso|prezzo|affitto|stipendio|scadenza|data|compleanno|giorno|ora|luogo"
        "|si tiene|si svolge|sala|piano|binario|stato|fase|modalità|livello|tema|lingua|fuso orario|valuta|licenza"
        "|regione|fornitore|datore|lavora per|lavora come|lavora presso|professione|sposato con|sposata con|marito"
        "|moglie|medico|dentista|avvocato|modello|marca|motore|database|ramo|formato|protocollo|metodo|scritto in"
        "|ospitato su|primo|prima|ultimo|ultima|prossimo|prossima|migliore|sempre|fondato da|appartiene a|obiettivo"
        "|porta"
    ),
    "pt": (
        "todo|toda|inteiro|inteira|só|somente|apenas|único|única|unicamente|exclusivamente|padrão|principal|primário"
        "|atual|atualmente|favorito|favorita|preferido|preferida|oficial|chama-se|se chama|chamado|nome|título|dono"
        "|dona|proprietário|responsável|chefe|diretor|diretora|dirigido por|lidera|líder|gerente|presidente|prefeito"
        "|treinador|capitão|sede|capital|endereço|mora em|vive em|reside em|nasceu em|telefone|senha|apelido|cor"
        "|tamanho|peso|preço|aluguel|salário|prazo|data|aniversário|dia|hora|local|acontece|sala|andar|estado|status"
        "|fase|modo|nível|tema|idioma|língua|fuso|moeda|licença|região|fornecedor|trabalha em|trabalha na|trabalha no"
        "|trabalha como|profissão|casado com|casada com|marido|esposa|médico|dentista|advogado|modelo|marca|motor"
        "|banco de dados|ramo|formato|protocolo|método|escrito em|hospedado em|primeiro|primeira|último|última|próximo"
        "|próxima|melhor|sempre|fundado por|pertence a|objetivo|porta"
    ),
    "nl": (
        "hele|volledige|alleen|enkel|enige|uitsluitend|standaard|hoofd|hoofdkantoor|hoofdstad|primair|primaire|huidige"
        "|momenteel|favoriet|favoriete|lievelings|officieel|officiële|heet|genaamd|naam|titel|eigenaar|eigenares"
        "|verantwoordelijk|verantwoordelijke|leider|leidt|geleid door|directeur|voorzitter|burgemeester|coach"
        "|aanvoerder|zetel|adres|woont in|geboren in|telefoon|wachtwoord|bijnaam|kleur|maat|gewicht|prijs|huur|salaris"
        "|termijn|datum|verjaardag|dag|tijd|plaats|vindt plaats|zaal|verdieping|spoor|status|fase|modus|niveau|thema"
        "|taal|tijdzone|valuta|licentie|regio|leverancier|werkgever|werkt bij|werkt als|werkt voor|beroep|functie"
        "|getrouwd met|echtgenoot|huisarts|tandarts|advocaat|model|merk|motor|database|tak|formaat|protocol|methode"
        "|geschreven in|gehost bij|draait op|eerste|laatste|volgende|beste|grootste|altijd|opgericht door|behoort tot"
        "|doel|poort"
    ),
    "zh": (
        "默认|全部|只|仅|唯一|主要|主|首选|当前|目前|现任|总部|首都|省会|名称|名字|叫|叫做|名为|称为|负责人|由|归|属于"
        "|拥有者|所有者|主管|经理|队长|校长|市长|董事长|总经理|主席|教练|地址|住在|居住|定居|位于|坐落|设在|出生|电话"
        "|密码|用户名|昵称|颜色|尺寸|大小|重量|价格|租金|工资|截止|日期|生日|时间|地点|举行|会议室|楼层|状态|阶段|模式"
        "|级别|等级|主题|语言|时区|货币|许可证|区域|供应商|房东|就职|任职|工作于|在职|职业|职位|职务|丈夫|妻子|嫁给|娶"
        "|医生|牙医|律师|型号|品牌|框架|数据库|分支|格式|协议|方法|编写|部署在|托管|存放在|存储在|保存在|第一|最后"
        "|下一|最大|最小|最好|最喜欢|最爱|总是|创始人|作者|目标|口号|域名|端口|路径|操作系统|套餐|班主任|星期"
    ),
    "ja": (
        "デフォルト|既定|初期設定|標準|だけ|のみ|全て|すべて|全額|所属|唯一|専用|主な|主に|メイン|本社|本店|本部|首都"
        "|所在地|名前|名称|という名|と呼ば|担当|担当者|責任者|所有者|オーナー|持ち主|店長|社長|部長|課長|所長|校長"
        "|園長|監督|キャプテン|リーダー|代表|市長|住所|住んで|在住|生まれ|出身|電話番号|パスワード|ユーザー名|あだ名"
        "|色|サイズ|重さ|高さ|価格|値段|家賃|料金|給料|締め切り|締切|期限|日付|誕生日|曜日|時間|時刻|場所|会場|開催"
        "|部屋|階|状態|ステータス|段階|モード|レベル|テーマ|言語|タイムゾーン|通貨|ライセンス|リージョン|業者|仕入先"
        "|大家|勤務|勤め|職業|役職|夫|妻|結婚相手|かかりつけ|歯医者|主治医|弁護士|機種|型番|ブランド|エンジン"
        "|フレームワーク|データベース|ブランチ|形式|方式|プロトコル|書かれて|稼働|動いて|ホスト|保存先|保管|最初|最後"
        "|次|一番|最大|最小|お気に入り|好物|いつも|創業者|作者|目標|標語|ドメイン|ポート|パス|プラン"
    ),
    "ko": (
        "기본|만|유일|전용|주요|메인|본사|본점|수도|소재지|이름|명칭|담당|담당자|책임자|소유자|주인|사장|점장|팀장"
        "|부장|교장|감독|대표|시장|주소|살고|거주|태어|출신|전화번호|비밀번호|별명|색|크기|무게|높이|가격|월세|요금"
        "|월급|마감|기한|날짜|생일|요일|시간|장소|회의실|층|상태|단계|모드|레벨|테마|언어|시간대|통화|라이선스|리전"
        "|업체|집주인|근무|직업|직책|남편|아내|주치의|치과|변호사|모델|브랜드|엔진|프레임워크|데이터베이스|브랜치|형식"
        "|방식|프로토콜|작성|배포|저장|처음|마지막|다음|가장|제일|항상|창업자|작가|목표|도메인|포트|경로"
    ),
}

# Many values at a time: relations that hold of several things side by side.
MULTIPLE: dict[str, str] = {
    "en": (
        "plays|play|played|speaks|speak|supports|support|includes|include|included|has|have|contains|contain|exports"
        "|export|imports|offers|offer|sells|sell|serves|serve|likes|like|loves|love|enjoys|enjoy|hates|dislikes|owns"
        "|own|holds|hold|shares in|allergic|allergies|list|branch in|branches|a branch|member|members|membership"
        "|visited|visits|knows|can|could|reads|writes|collects|grows|grow|teaches|teach|studied|worked|works with"
        "|integrates|integrates with|connects to|depends|depends on|requires|needs|accepts|accept|handles|covers|cover"
        "|provides|features|feature|comes with|equipped|ships with|carries|stocks|produces|makes|bakes|brews|publishes"
        "|treats|trains|employs|hosts|invested|invests|won|awarded|received|bought|borrowed|tried|cooks|eats|drinks"
        "|watches|subscribes|uses|use|logs|tracks|monitors|calls|listens|delivers|delivers to|ships to|flies to"
        "|operates in|sends|notifies|alerts|friend|friends|sister|brother|son|daughter|cousin|colleague|child|pet"
        "|customer|customers|client|clients|supplier of|hobby|hobbies|skill|skills|language skills|ingredient"
        "|ingredients|tag|tags|dependency|dependencies|topping|stop|stops|exhibits|displays|shows|lists|mentions|add"
        "|adds|added|packed|goes with|pairs with|sponsors|donates|helps|repairs|rents|rents out|volunteers|sings|tests"
        "|reports|note|tip|todo|to-do|to do|task|tasks|reminders|reminder|check|buy|step|an|a member|exposes|emits"
        "|implements|parses|reads from|writes to|mirrors|backs up|syncs|cares|certified|trained|licensed for|open on"
        "|opens on|compatible with"
    ),
    "de": (
        "spielt|spricht|unterstützt|enthält|beinhaltet|umfasst|hat|haben|exportiert|importiert|bietet|verkauft"
        "|serviert|mag|liebt|besitzt|hält|allergisch|liste|filiale|filialen|mitglied|besuchte|kennt|kann|können|liest"
        "|schreibt|sammelt|unterrichtet|braucht|akzeptiert|deckt|führt|produziert|beliefert|gehört zu|hobby|zutat"
        "|verwendet|nutzt|isst|trinkt|kocht|backt|liefert|freund|freundin|bruder|schwester|kunde|kunden|zeigt|notiz"
        "|besucht|trainiert|baut an|vermietet|kompatibel mit"
    ),
    "es": (
        "toca|juega|habla|soporta|admite|incluye|tiene|tienen|contiene|exporta|importa|ofrece|vende|sirve|gusta|gustan"
        "|posee|alérgico|alérgica|lista|sucursal|miembro|socio|socia|visitó|conoce|puede|lee|escribe|colecciona|enseña"
        "|necesita|acepta|cubre|produce|ingrediente|usa|utiliza|come|bebe|cocina|envía|amigo|amiga|hermano|hermana"
        "|cliente|muestra|nota|cultiva|alquila|hay|compatible con"
    ),
    "fr": (
        "joue|parle|prend en charge|comprend|inclut|a|ont|contient|exporte|importe|offre|propose|vend|sert|aime"
        "|possède|allergique|liste|succursale|membre|connaît|peut|lit|écrit|collectionne|enseigne|accepte|couvre"
        "|produit|ingrédient|utilise|mange|boit|livre|ami|amie|frère|sœur|client|affiche|cultive|loue|il y a"
        "|compatible avec"
    ),
    "it": (
        "suona|gioca|parla|supporta|include|comprende|ha|hanno|contiene|esporta|importa|offre|vende|serve|piace"
        "|possiede|allergico|allergica|lista|elenco|filiale|membro|socio|conosce|può|legge|scrive|colleziona|insegna"
        "|accetta|copre|produce|ingrediente|usa|utilizza|mangia|beve|spedisce|amico|amica|fratello|sorella|cliente"
        "|mostra|coltiva|affitta|compatibile con"
    ),
    "pt": (
        "toca|joga|fala|suporta|inclui|tem|têm|contém|exporta|importa|oferece|vende|serve|gosta|possui|alérgico"
        "|alérgica|lista|filial|membro|sócio|conhece|pode|lê|escreve|coleciona|ensina|aceita|cobre|produz|ingrediente"
        "|usa|utiliza|come|bebe|entrega|amigo|amiga|irmão|irmã|cliente|mostra|cultiva|aluga|compatível com"
    ),
    "nl": (
        "speelt|spreekt|ondersteunt|bevat|omvat|heeft|hebben|exporteert|importeert|biedt|verkoopt|serveert|houdt van"
        "|bezit|allergisch|lijst|filiaal|lid|kent|kan|leest|schrijft|verzamelt|geeft les|accepteert|dekt|produceert"
        "|ingrediënt|gebruikt|eet|drinkt|levert|vriend|vriendin|broer|zus|klant|toont|kweekt|verhuurt|compatibel met"
    ),
    "zh": (
        "支持|包含|包括|含有|有|提供|出售|销售|喜欢|拥有|持有|过敏|清单|列表|分店|分行|分公司|成员|会员|导出|出口|进口"
        "|可以|收藏|接受|覆盖|生产|使用|吃|喝|朋友|客户|展示|安装了|兼容|集成"
    ),
    "ja": (
        "対応|サポート|含ま|含む|入って|話せ|話す|弾|演奏|提供|販売|売って|好き|持って|所有|保有|アレルギー|リスト"
        "|支店|支社|店舗が|会員|メンバー|輸出|輸入|できる|できます|集めて|教えて|受け付け|生産|使って|食べ|飲|友|顧客"
        "|展示|育て|飼|連携|がある|があり"
    ),
    "ko": (
        "지원|포함|제공|판매|좋아|보유|가지고|소유|알레르기|목록|지점|회원|멤버|수출|수입|할 수|수집|가르|생산|사용|먹"
        "|마시|친구|고객|전시|키우|연주|구사|있다|있습니다"
    ),
}
