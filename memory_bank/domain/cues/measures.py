"""Words about numbers: ordinals, multipliers, units, nouns that a number names, counters."""

ONE = "one eins uno una un single einzig"

# Number words of one language that are articles, pronouns, conjunctions or verbs of another.
OWN: dict[str, dict[str, int]] = {
    "es": {"once": 11, "dos": 2, "mil": 1000, "un": 1, "una": 1, "uno": 1},
    "it": {"due": 2, "sei": 6, "nove": 9},
    "pt": {"nove": 9, "mil": 1000},
    "de": {"acht": 8, "elf": 11, "eins": 1},
    "nl": {"acht": 8, "elf": 11, "één": 1},
    "fr": {"sept": 7, "seize": 16},
    "en": {"twice": 2},
}

ORDINALS: dict[int, str] = {
    1: "first erste ersten erster erstes primero primera premier première primo prima primeiro eerste",
    2: "second zweite zweiten zweiter segundo segunda deuxième secondo seconda tweede",
    3: "third dritte dritten dritter tercero tercera tercer troisième terzo terza terceiro derde",
    4: "fourth vierte vierten cuarto cuarta quatrième quarto quarta vierde",
    5: "fifth fünfte fünften quinto quinta cinquième vijfde",
    6: "sixth sechste sechsten sexto sexta sixième sesto zesde",
    7: "seventh siebte siebten séptimo séptima septième settimo zevende",
    8: "eighth achte achten octavo octava huitième ottavo achtste",
    9: "ninth neunte neunten noveno novena neuvième nono negende",
    10: "tenth zehnte zehnten décimo décima dixième decimo tiende",
    12: "twelfth zwölfte",
    20: "twentieth zwanzigste",
}

MULTIPLIERS: dict[int, str] = {
    12: "dozen dutzend docenas",
    100: "hundred",
    1000: "thousand k tausend mil mille",
    10000: "万 만",
    1000000: "million millions m mio millionen millón millones milioni milhões miljoen",
    100000000: "亿 億 억",
    1000000000: "billion bn milliarden milliards",
}

# By what is measured: factors to its base unit and the names of the units.
UNITS: dict[str, tuple[tuple[float, str], ...]] = {
    "duration": (
        (0.001, "ms millisecond milliseconds millisekunden milisegundos millisecondes"),
        (1, "s sec secs second seconds sekunde sekunden segundo segundos seconde secondes secondi secondo 秒 초"),
        (60, "min mins minute minutes minuten minuto minutos minuti minuut 分 分钟 分鐘 分間 분"),
        (3600, "h hr hrs hour hours stunde stunden hora horas heure heures ora ore uur 小时 小時 時間 시간"),
        (86400, "d day days tag tage tagen día días jour jours giorno giorni dia dias dag dagen 天 日 日間 일"),
        (604800, "week weeks woche wochen semana semanas semaine semaines settimana settimane weken 周 週間 週 주"),
        (
            2592000,
            "month months monat monate monaten mes meses mois mese mesi mês maand maanden 个月 か月 ヶ月 カ月 개월",
        ),
        (31536000, "year years jahr jahre jahren año años an ans année années anno anni ano anos jaar 年間 년"),
    ),
    "length": (
        (0.001, "mm millimetre millimetres millimeter millimeters ミリ 毫米"),
        (
            0.01,
            "cm centimetre centimetres centimeter centimeters zentimeter centímetros centimètres centimetri"
            " 厘米 センチ",
        ),
        (1, "metre metres meter meters metros mètres metri 米 メートル 미터"),
        (
            1000,
            "km kilometre kilometres kilometer kilometers kilómetros kilomètres chilometri quilômetros 公里"
            " キロメートル 킬로미터",
        ),
        (0.3048, "ft foot feet"),
        (1609.344, "mile miles mi"),
    ),
    "mass": (
        (1, "g gram grams gramm gramos grammes grammi gramas gramo 克 グラム 그램"),
        (1000, "kg kilo kilos kilogram kilograms kilogramm 公斤 千克 キロ キログラム 킬로"),
        (1000000.0, "t tonne tonnes tonnen toneladas 吨 トン 톤"),
        (453.592, "lb lbs pound pounds"),
    ),
    "volume": (
        (1, "ml millilitre millilitres milliliter milliliters mililitros 毫升 ミリリットル"),
        (10, "cl centilitres"),
        (1000, "l litre litres liter liters litro litros litri 升 リットル 리터"),
    ),
    "bytes": (
        (1, "kb kib"),
        (1000.0, "mb mib megabytes"),
        (1000000.0, "gb gib gigabytes"),
        (1000000000.0, "tb tib terabytes"),
    ),
    "celsius": ((1, "°c c grad degrees grados degrés gradi graus graden 度 도"),),
    "share": ((1, "% percent prozent por_ciento pour_cent procent パーセント 퍼센트"),),
    "money": (
        (1, "€ $ £ ¥ eur usd gbp euro euros dollar dollars dólares yen 円 元 块 원 pounds francs chf yuan 日元"),
    ),
}

# Durations in words, in minutes.
DURATIONS: dict[int, str] = {
    15: "a quarter of an hour|quarter of an hour|quarter-hour|eine viertelstunde|viertelstunde|un cuarto de hora"
    "|cuarto de hora|un quart d'heure|een kwartier|一 刻 钟",
    30: "half an hour|half-hour|eine halbe stunde|einer halben stunde|halbe stunde|media hora"
    "|une demi-heure|demi-heure|mezz'ora|meia hora|half uur|半 小 时|半 時 間",
    45: "three quarters of an hour|dreiviertelstunde",
    60: "an hour|eine stunde|einer stunde|una hora|une heure|un'ora|uma hora|een uur",
    90: "an hour and a half|anderthalb stunden|hora y media",
    10080: "a week",
    20160: "a fortnight",
}

# Nouns whose number tells which one is meant rather than how many there are.
LABELLED = (
    "abschnitt act andar andén apartment article aula band batch bay building bus cabin capitolo capítulo"
    " chapitre chapter class clause day district día edition episode exit fase fassung flat flight floor"
    " gate gen generation gleis grade group grupo gruppe hall halle haus hoofdstuk house issue item"
    " kapitel klasse lab level ligne lijn line linha linie lot línea model module niveau nivel no node nr"
    " number option page paragraph part phase piano pier planta platform playbook plot port prioridad"
    " priority quarter rack raum regal region release revision room round route rule sala salle schicht"
    " season seat section semana server shard shelf shift site slot sprint stage step stock studio stufe"
    " table tag team teil terminal ticket tier tor track train tram unit variant verdieping version"
    " versión volume ward week woche year zaal zimmer zone étage"
)

# Characters that follow a Han numeral which counts.
HAN_COUNTERS = (
    "かつカキロヵヶ个人代件份位個倍元克公円冊册分割包匹千升卓卷口只台号名周回块天头套"
    "室家小层届層岁年度座张張成把日时時晚月期本条杯枚栋條棟棵次步歩歳毛泊点版瓶盒种種"
    "章箇箱節篇級組级组节號袋輛辆週部門間门间階隻頭點％"
)
