"""Word lists behind the reading of a note: function words, negations, antonyms, generality, time and trouble.

Spaced scripts are matched word by word, Chinese, Japanese and Korean by substring.
"""

FUNCTION_WORDS: dict[str, str] = {
    "en": "the a an and or but of to in on at by for from with without into over under about after before between"
    " as is are was were be been being"
    " has have had do does did not no it its this that these those there here he she they we i you his her their"
    " our my your him them us me who whom whose"
    " which what when where why how if then than so such can could may might must shall should will would just"
    " only also very more most much many some any"
    " all each every both either neither nor own same too up down out off again once because while until during"
    " through against per one two three s t",
    "de": "der die das den dem des ein eine einen einem einer eines und oder aber von zu zum zur in im an am auf"
    " aus bei mit nach vor über unter für um ohne"
    " durch gegen seit bis als wie ist sind war waren wird wurde wurden werden hat haben hatte nicht kein keine"
    " es er sie wir ich ihr sein seine ihre unser"
    " sich man dass weil wenn dann so auch noch nur sehr mehr dieser diese dieses jeder alle etwas dort hier da"
    " schon nun doch muss kann soll darf will mein",
    "es": "el la los las un una unos unas y e o u pero de del a al en con sin por para sobre entre hasta desde"
    " como es son era fue fueron ser está están ha han"
    " había no se su sus lo le les me te nos mi tu que qué quien cual cuando donde si más muy ya también todo"
    " toda todos todas este esta estos estas ese esa"
    " eso esto cada hay porque mientras tras ante según sólo solo ni ella él ellos yo otro otra antes después",
    "fr": "le la les l un une des du de d et ou mais à au aux en dans sur sous avec sans pour par entre vers chez"
    " comme est sont était étaient été être a ont"
    " avait ne pas n se s son sa ses leur leurs il elle ils elles on nous vous je tu ce c cet cette ces qui que"
    " qu quoi dont où si plus très aussi tout toute"
    " tous toutes chaque y lui me te mon ma mes notre nos parce quand puis donc",
    "it": "il lo la i gli le l un uno una e o ma di del della dei delle dello a al alla ai alle in nel nella nei"
    " nelle su sul sulla con senza per da dal dalla tra"
    " fra come è sono era erano stato stata essere ha hanno aveva non si suo sua suoi sue loro che chi cui quando"
    " dove se più molto anche tutto tutti ogni"
    " questo questa questi quello quella ci ne mi ti lui lei noi io perché",
    "pt": "o a os as um uma uns umas e ou mas de do da dos das em no na nos nas com sem por pelo pela para sobre"
    " entre até desde como é são era foi foram ser está"
    " estão tem têm tinha não se seu sua seus suas que quem qual quando onde mais muito também todo toda todos"
    " este esta esse essa isso isto cada há porque"
    " ele ela eles nós eu ao à aos já só",
    "nl": "de het een en of maar van te in op aan bij met voor door naar uit over onder tot tegen zonder als is"
    " zijn was waren wordt werd worden heeft hebben had"
    " niet geen er het hij zij ze we wij ik je u hun haar zijn ons onze die dat deze dit wie wat wanneer waar dan"
    " ook nog al alleen zeer meer elke alle om zich"
    " moet kan zal omdat",
    "ru": "и в во на не что он она они мы я ты вы с со по к ко у за от до из для о об но а как то это этот эта"
    " эти его её их был была было были быть есть же ли"
    " бы так уже только ещё еще при или если когда где все всё при над под без после до мой наш свой который",
    "zh": "的 了 是 在 和 与 也 都 就 应该 可以 来说 已经 没有 因为 所以 如果 但是 需要 进行 一个 这个 那个 我们 他们"
    " 你们"
    " 自己 什么 怎么 就是 还是 或者 以及 可能 不会 不能 会有 原因 总的 其他",
    "ja": "これ それ あれ 場合 今回 一番 自分 何か 事 物 者",
    "ko": "그리고 그러나 하지만 그래서 또한 있는 없는 있다 없다 하는 한다 것이다 것은 수",
}

# More words that say nothing about what a fact is about; the typing of links was fitted without them.
FUNCTION_WORDS_MORE: dict[str, str] = {
    "en": "within via near upon onto off among along around across behind beyond inside outside toward towards"
    " amid am he's she's it's that's there's they're we're i'm you're i've we've they've who's own s d ll"
    " re",
    "de": "vom beim ins ans unter über zwischen neben hinter innerhalb außerhalb sie ihm ihn ihnen ihren ihrem"
    " ihrer seinen seinem seiner diesem diesen dies wo was wer mich mir dich uns euch",
    "es": "ella ellos ellas nosotros dentro fuera cerca junto",
    "fr": "chez près hors dedans leur",
    "it": "dell' all' nell' sull' dall' presso vicino dentro",
    "pt": "num numa dum duma pelos pelas nos nas ante",
    "nl": "binnen buiten bij tussen naast achter",
}

NEGATIONS = (
    "not no never none nothing nobody neither nor without cannot can't won't don't doesn't didn't isn't aren't"
    " wasn't weren't hasn't haven't hadn't"
    " shouldn't wouldn't couldn't unable hardly nicht kein keine keinen keinem keiner nie niemals niemand nichts"
    " ohne nunca jamás nadie nada sin ni ningún ninguna"
    " pas jamais aucun aucune rien sans personne non mai nessun nessuna niente senza não nem nenhum nenhuma sem"
    " niet geen nooit niemand zonder не нет никогда ничего"
    " никто без нельзя नहीं मत لا لم لن ليس غير"
)
NEGATIONS_UNSPACED = "不 没 沒 無 无 未 非 勿 ない ません なかっ なし ぬ ず、 않 없 못 아니"

ANTONYMS = (
    # en
    "always never|all none|everyone nobody|up down|rise fall|rises falls|rose fell|gain loss|gained lost"
    "|gain lost|profit loss|increase decrease|increased decreased|increases decreases"
    "|grew shrank|grow shrink|higher lower|high low|more less|most least|open closed|opens closes|open shut"
    "|opened closed|start stop|starts ends|started stopped|start end|begins ends"
    "|accept reject|accepted rejected|approved rejected|approve reject|approved denied|allowed forbidden"
    "|allowed banned|allow forbid|permits prohibits|permitted prohibited|allow ban"
    "|welcome refused|welcomes refuses|welcome banned|love hate|loves hates|likes dislikes|like dislike"
    "|enjoys avoids|prefers avoids|favours opposes|supports opposes|agree disagree"
    "|true false|right wrong|correct incorrect|valid invalid|enabled disabled|enable disable|enables disables"
    "|on off|active inactive|include exclude|includes excludes|included excluded|inside outside"
    "|indoors outdoors|before after|early late|earlier later|first last|old new|young old|hot cold|warm cold"
    "|wet dry|hard soft|rough smooth|heavy light|dark light|thick thin|wide narrow|long short"
    "|tall short|large small|big small|fast slow|faster slower|quicker slower|bigger smaller|larger smaller"
    "|longer shorter|warmer colder|hotter colder|older newer|older younger|cheaper pricier|stronger weaker"
    "|thicker thinner|darker lighter|heavier lighter|sooner later|easier harder|richer poorer|louder quieter"
    "|cleaner dirtier|operates suspended|quick slow|quickly slowly|safe dangerous|safe unsafe|harmful harmless"
    "|healthy unhealthy|good bad|better worse|best worst|strong weak|rich poor|cheap expensive"
    "|free paid|full empty|public private|manual automatic|manually automatically|synchronous asynchronous"
    "|permanent temporary|mandatory optional|required optional|compulsory voluntary"
    "|present absent|alive dead|succeeded failed|passed failed|success failure|won lost|win lose|helps harms"
    "|improves worsens|improved worsened|shortens lengthens|shorten prolong|protects damages"
    "|keep remove|kept removed|keeps loses|buy sell|bought sold|add remove|added removed|lend borrow"
    "|attack defend|tenant landlord|buyer seller|sender receiver|winter summer|day night|morning evening"
    "|north south|east west|left right|male female|single married|sweet bitter|sweet unsweetened|weekly monthly"
    "|daily weekly|daily monthly|monthly yearly|running suspended"
    "|runs suspended|running stopped|confirmed cancelled|confirmed postponed|scheduled cancelled|online offline"
    "|local remote|encrypted plaintext|sorted unsorted"
    "|arrived left|same different|every only|all only|both neither|identical different|everywhere nowhere"
    "|native invasive|guilty innocent|occupied vacant"
    # de
    "|immer nie|alle keine|angenommen abgelehnt|genehmigt abgelehnt|erlaubt verboten|offen geschlossen"
    "|öffnet schließt|gestiegen gefallen|steigt fällt|steigt sinkt|gestiegen gesunken|gewinn verlust|mehr weniger"
    "|höher niedriger|hoch niedrig|warm kalt|heiß kalt|nass trocken|hart weich|schnell langsam|groß klein"
    "|lang kurz|alt neu|gut schlecht|besser schlechter|wahr falsch|richtig falsch|mit ohne|mieter vermieter"
    "|käufer verkäufer|innen außen|aktiviert deaktiviert|an aus|früh spät|vor nach|teuer billig|teuer günstig"
    "|liebt hasst|mag hasst|pflicht freiwillig|automatisch manuell|bestätigt abgesagt|voll leer"
    # es
    "|siempre nunca|todos ninguno|aprobado rechazado|aprobada rechazada|aceptado rechazado|aceptada rechazada"
    "|permitido prohibido|abierto cerrado|abre cierra|sube baja|subió bajó|aumentó disminuyó|ganancia pérdida"
    "|incluye excluye"
    "|cubre excluye|más menos|mayor menor|alto bajo|caliente frío|seco húmedo|duro blando|rápido lento"
    "|grande pequeño|largo corto|viejo nuevo|bueno malo|mejor peor|verdadero falso|con sin|inquilino propietario"
    "|caro barato|lleno vacío|gratis pago|obligatorio opcional|antes después|confirmado cancelado|odia adora"
    "|vivo muerto"
    # fr
    "|toujours jamais|accepté refusé|acceptée refusée|approuvé rejeté|autorisé interdit|autorisée interdite"
    "|ouvert fermé|ouverte fermée|augmente diminue|augmenté diminué|hausse baisse|gain perte|inclut exclut"
    "|plus moins|haut bas"
    "|chaud froid|sec humide|dur mou|rapide lent|grand petit|long court|vieux nouveau|bon mauvais|meilleur pire"
    "|vrai faux|avec sans|locataire propriétaire|cher gratuit|plein vide|obligatoire facultatif|avant après"
    "|adore déteste"
    # it pt nl
    "|accettato rifiutato|approvato respinto|consentito vietato|aperto chiuso|aumentato diminuito|caldo freddo"
    "|asciutto bagnato|veloce lento|vecchio nuovo|vero falso|pieno vuoto|obbligatorio facoltativo|prima dopo"
    "|sempre mai"
    "|aprovado rejeitado|aceito recusado|permitido proibido|aberto fechado|aumentou diminuiu|quente frio"
    "|seco molhado|rápido lento|verdadeiro falso|cheio vazio|sempre nunca|antes depois|goedgekeurd afgewezen"
    "|toegestaan verboden"
    "|geopend gesloten|open dicht|gestegen gedaald|meer minder|warm koud|nat droog|snel langzaam|oud nieuw"
    "|waar onwaar|altijd nooit|voor na|duur goedkoop|huurder verhuurder"
    # ru
    "|всегда никогда|принят отклонён|одобрено отклонено|разрешено запрещено|открыт закрыт|вырос упал"
    "|выросла упала|больше меньше|выше ниже|горячий холодный|быстро медленно|старый новый|дорого дёшево"
    "|включён выключен|любит ненавидит"
)

ANTONYMS_UNSPACED = (
    "增加 减少|上升 下降|上涨 下跌|同意 反对|批准 驳回|通过 否决|允许 禁止|开启 关闭|打开 关闭|支持 反对"
    "|喜欢 讨厌|爱吃 不吃|包含 不含|包括 不包括|免费 收费|有效 无效|成功 失败|早上 晚上|冷 热|快 慢|贵 便宜|多 少"
    "|盈利 亏损|租客 房东|手动 自动"
    "|増え 減|上が 下が|上昇 下降|賛成 反対|承認 却下|可決 否決|許可 禁止|開 閉|有効 無効|成功 失敗|好き 嫌い"
    "|含む 含まない|無料 有料|黒字 赤字|自動 手動|早い 遅い|高い 安い|寒い 暑い|借主 貸主|でき できな|必要 不要"
    "|営業 休み|営業 休業|開館 休館"
    "|증가 감소|상승 하락|찬성 반대|승인 거부|허용 금지|열 닫|성공 실패|좋아 싫어|무료 유료|포함 제외|흑자 적자"
    "|자동 수동|빠르 느리"
)

# Words by which a statement speaks of a class of things, not of one event.
GENERAL = (
    "often usually always generally typically commonly frequently rarely seldom mostly mainly normally ordinarily"
    " tend tends tendency many most some any every each all whatever whenever wherever whoever"
    " anyone everyone people things kinds types sort class family term means called known defined consists when"
    " if can may should must"
    " oft meist meistens häufig immer stets selten üblicherweise gewöhnlich normalerweise jede jeder jedes viele"
    " manche alle wer wenn sollte muss können man"
    " menudo siempre generalmente suele suelen normalmente muchos muchas algunos algunas cada cualquier todo"
    " todos quien cuando si puede pueden debe conviene"
    " souvent toujours généralement habituellement parfois beaucoup plusieurs certains certaines chaque tout"
    " quand si peut peuvent doit il faut"
    " spesso sempre generalmente solitamente molti molte alcuni ogni chiunque quando può possono deve"
    " frequentemente sempre geralmente costuma costumam muitos muitas alguns cada qualquer quando pode podem deve"
    " vaak altijd meestal doorgaans veel sommige elke iedereen wanneer kan kunnen moet"
    " часто всегда обычно многие некоторые каждый любой когда может могут следует"
)
GENERAL_UNSPACED = (
    "往往 通常 经常 总是 一般 常常 很多 许多 大多 凡 任何 每 都会 都要 可以 能够 应该 会带来 越 多い よく いつも"
    " 必ず 一般 ことがある やすい べき すべて 多く たいてい 人は ものだ とは 傾向 흔히 보통 항상 대개 많은 모든"
    " 대부분 경향"
)

# Words by which several observations stand side by side, as the ground of a generalisation.
PLURAL = (
    "again repeatedly each every times both all tally review reviews statistics survey log logs history records"
    " minutes statements observations cases incidents months years weeks quarters releases"
    " post-mortems post-mortem postmortem tickets experiments trials consistently whichever several various twice"
    " thrice notes outages audits sprints seasons games"
    " wiederholt jedes jedesmal mehrmals alle beide jeweils immer auswertung statistik fälle monate jahre mehrere"
    " zweimal dreimal erneut"
    " cada veces todas todos ambos meses años repetidamente varias varios siempre estadística casos dos ambas"
    " chaque fois tous toutes mois années plusieurs statistiques cas deux ogni volta volte tutti mesi anni più"
    " casi vezes todos meses anos vários casos"
    " elke keer telkens alle maanden jaren meerdere gevallen каждый раз все месяцев лет несколько случаев снова"
)
PLURAL_UNSPACED = (
    "每次 都是 多次 几次 次 各 三个 连续 反复 统计 同じ結果 毎回 いずれも どれも 何度も 度とも 件中 回 たび 마다"
    " 번 모두 여러 매번 반복"
)

# Trouble or change that asks for an explanation, and acts that give one.
TROUBLE = (
    "fail fails failed failing failure failures broke broken breaks crash crashed crashes crashing slow slower"
    " slowed down outage error errors timeout timeouts late delayed delay delays lost missing missed leak leaks"
    " leaked leaking damp"
    " wet mould swollen swelling pain painful ache aches headache cramp cramps cramped fever rash sick ill tired"
    " dizzy itchy sore bleeding infected cracked cracks crack peeling rust rusty rusted burnt burned collapsed"
    " collapse"
    " clogged blocked stuck jammed frozen froze shuts shutdown restarts restarted rebooted doubled tripled halved"
    " dropped drops drop plunged fell spiked spike surged jumped soared sank shrank worse worsened barely hardly"
    " complaint complaints"
    " fee fine penalty overdraft charged cancelled canceled postponed absent empty dead died wilted yellow brown"
    " shortage left closed bankrupt unable cannot suddenly unexpectedly full exhausted overflowed flooded"
    " flood drought storm frost expired skipped forgot forgotten ignored removed deleted unpaid overdue expelled"
    " lowered raised cut cuts extra rejected logged soaked spoiled sour rotten overheated overheats noise noisy"
    " awake insomnia"
    " fehler fällt schlägt fehl ausfall ausgefallen kaputt defekt langsam verspätung verspätet feucht schimmel"
    " schmerzen fieber geschwollen verstopft undicht abgestürzt gesperrt abgelaufen verloren gekürzt gestrichen"
    " überhitzt"
    " falla fallo falló error caída cayó roto rota lento retraso retrasó fuga humedad dolor fiebre hinchado"
    " atascado perdimos perdió multa recargo extra cancelado agotado venció caducó"
    " panne erreur échoué échec cassé lent retard fuite humide douleur fièvre gonflé bouché perdu amende annulé"
    " épuisé expiré"
    " guasto errore fallito rotto lento ritardo perdita umido dolore febbre gonfio intasato perso multa annullato"
    " scaduto"
    " falha falhou erro quebrou quebrado lento atraso vazamento úmido dor febre inchado entupido perdeu multa"
    " cancelado expirou"
    " fout storing kapot traag vertraging lek vochtig pijn koorts gezwollen verstopt verloren boete geannuleerd"
    " verlopen"
    " сбой ошибка сломался сломалась упал упала медленно задержка течь сырость боль температура опух засор"
    " потеряли штраф отменён истёк"
)
TROUBLE_UNSPACED = (
    "失败 故障 报错 错误 重启 崩溃 超时 用尽 变慢 延迟 迟到 漏水 发霉 疼 痛 发烧 肿 堵 坏 断 停 掉 取消 罚 缺 枯"
    " 死 过期 爆 退单 下降 翻倍 止ま 運転見合わせ 運休 遅れ 失敗 障害 エラー 落ち 故障 壊れ 漏れ 痛 熱 腫れ 詰ま"
    " 切れ 枯れ 中止 罰金 不足 倒れ 停電 眠れな"
    " 실패 장애 오류 고장 느려 지연 누수 통증 열이 부었 막혔 취소 벌금 부족 만료 정전"
)
PERSONAL = (
    "i we he she my our his her me us him ich wir er mein meine unser unsere yo nosotros mi nuestro nuestra je"
    " nous mon ma notre nos io noi mio mia nostro nostra eu nós meu minha nosso nossa ik wij we mijn onze ons я"
    " мы мой наш он она"
)

# Days, months and other words that tie a sentence to a moment.
CALENDAR = (
    "january february march april may june july august september october november december monday tuesday"
    " wednesday thursday friday saturday sunday yesterday today tomorrow tonight week weekend spring summer"
    " autumn winter"
    " januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag"
    " sonntag gestern heute morgen woche"
    " enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes martes"
    " miércoles jueves viernes sábado domingo ayer hoy mañana semana"
    " janvier février mars avril mai juin juillet août septembre octobre novembre décembre lundi mardi mercredi"
    " jeudi vendredi samedi dimanche hier aujourd'hui demain semaine"
    " gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre lunedì martedì mercoledì giovedì"
    " venerdì sabato domenica ieri oggi domani settimana"
    " janeiro fevereiro março maio junho julho setembro outubro novembro dezembro segunda terça quarta quinta"
    " sexta sábado ontem hoje amanhã"
    " januari februari maart juni juli augustus maandag dinsdag woensdag donderdag vrijdag zaterdag zondag"
    " gisteren vandaag week"
    " января февраля марта апреля мая июня июля августа сентября октября ноября декабря понедельник вторник среду"
    " четверг пятницу субботу воскресенье вчера сегодня завтра"
)
CALENDAR_UNSPACED = (
    "昨天 昨晚 今天 明天 上周 下周 周一 周二 周三 周四 周五 周六 周日 去年 今年 月 日 昨日 今日 明日 先週 来週"
    " 月曜 火曜 水曜 木曜 金曜 土曜 日曜 今朝 今夜 어제 오늘 내일 지난주 월요일 금요일"
)

IRREGULAR_PAST = (
    "was were had did went came took left rose fell grew got gave found kept said saw made put told ran stood"
    " lost led met sent spent built bought brought thought caught taught felt held knew wrote spoke broke chose"
    " drove ate drank began"
    " sang swam flew threw drew wore won paid sold slept dealt meant let cut hit read set shut sat lay dug hung"
    " spread wurde wurden war waren hatte hatten ging kam nahm gab fand blieb fiel fielen fue fueron hubo era"
    " estaba était étaient fut"
    " avait avaient était fu furono aveva era foi foram tinha estava werd werden had hadden ging kwam был была"
    " было были"
)

NUMBER_WORDS: dict[int, str] = {
    0: "zero",
    2: "two twice zwei dos deux due dois duas twee два две",
    3: "three drei tres trois tre três drie три",
    4: "four vier cuatro quatre quattro quatro четыре",
    5: "five fünf cinco cinq cinque vijf пять",
    6: "six sechs seis sei zes шесть",
    7: "seven sieben siete sept sette zeven семь",
    8: "eight acht ocho huit otto восемь",
    9: "nine neun nueve neuf nove negen девять",
    10: "ten zehn diez dix dieci dez tien десять",
    11: "eleven elf onze undici",
    12: "twelve zwölf doce douze dozen dutzend docena douzaine dozzina dúzia dodici doze twaalf",
    13: "thirteen dreizehn trece treize tredici treze dertien",
    14: "fourteen vierzehn catorce quatorze quattordici veertien",
    15: "fifteen quince quinze fünfzehn quindici vijftien",
    16: "sixteen sechzehn dieciséis sedici dezesseis zestien",
    17: "seventeen siebzehn diecisiete dix-sept diciassette dezessete zeventien",
    18: "eighteen achtzehn dieciocho dix-huit diciotto dezoito achttien",
    19: "nineteen neunzehn diecinueve dix-neuf diciannove dezenove negentien",
    20: "twenty zwanzig veinte vingt двадцать venti vinte twintig",
    24: "twenty-four vierundzwanzig veinticuatro",
    25: "twenty-five fünfundzwanzig veinticinco",
    30: "thirty dreißig treinta trente trenta trinta dertig",
    40: "forty vierzig cuarenta quarante quaranta quarenta veertig",
    50: "fifty fünfzig cincuenta cinquante cinquanta cinquenta vijftig",
    60: "sixty sechzig sesenta soixante sessanta sessenta zestig",
    70: "seventy siebzig setenta settanta zeventig",
    80: "eighty achtzig ochenta ottanta oitenta tachtig",
    90: "ninety neunzig noventa novanta negentig",
    100: "hundred hundert cien ciento cent cento cem honderd",
    1000: "thousand tausend mille duizend",
}

# Forms of frequent English words that no common ending leads back to.
IRREGULAR_FORMS: dict[str, str] = {
    "go": "goes went gone",
    "eat": "ate eaten",
    "drink": "drank drunk",
    "write": "wrote written",
    "run": "ran",
    "drive": "drove driven",
    "keep": "kept",
    "hold": "held",
    "pay": "paid",
    "sell": "sold",
    "buy": "bought",
    "teach": "taught",
    "speak": "spoke spoken",
    "take": "took taken",
    "give": "gave given",
    "make": "made",
    "send": "sent",
    "build": "built",
    "lead": "led",
    "leave": "left",
    "sleep": "slept",
    "wear": "wore worn",
    "grow": "grew grown",
    "know": "knew known",
    "sing": "sang sung",
    "swim": "swam swum",
    "ride": "rode ridden",
    "child": "children",
    "person": "people",
    "woman": "women",
    "man": "men",
    "foot": "feet",
    "tooth": "teeth",
    "mouse": "mice",
    "knife": "knives",
    "shelf": "shelves",
    "bring": "brought",
    "fly": "flew flown flies",
    "see": "saw seen",
    "meet": "met",
    "feed": "fed",
    "begin": "began begun",
    "choose": "chose chosen",
}
