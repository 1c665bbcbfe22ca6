"""Words that a question is built with, and that say nothing about what it asks for.

Articles, the plainest prepositions, question words and personal pronouns, in the Germanic languages auxiliaries too.
Words of quantity, order, place and time stay out of these lists: a question may be about them. They are left out of
queries only, and only where other words are left. Measured on conversation questions (LoCoMo development set, recall@10
of BM25): 0.576 with them, 0.633 without. Spanish auxiliaries carry the tense that a question shares with its passage
(XQuAD development set, hit@1): 0.91 without them, 0.94 with them.
"""

STOP_WORDS = {
    language: frozenset(text.split())
    for language, text in {
        "en": (
            "the a an and or of to in on at by for from with as that this is are was were be been being has have "
            "had do does did can could may might must shall should will would who whom whose which what when "
            "where why how i you he she it we they me him her us them my your his its our their"
        ),
        "de": (
            "der die das den dem des ein eine einen einem einer eines und oder von zu zum zur in im an am auf bei "
            "für mit aus als dass ist sind war waren sein gewesen wird werden wurde wurden hat haben hatte hatten "
            "kann können konnte wer wen wem wessen was welche welcher welches welchen wann wo warum wie ich du er "
            "sie es wir ihr mich mir dich dir ihn ihm uns euch mein dein seine seinen ihre ihren unser"
        ),
        "es": (
            "el la los las un una unos unas lo y e o u de del a al en con por para que qué quién quiénes cuál "
            "cuáles cuándo dónde cómo cuyo yo tú él ella ellos ellas nosotros me te se le les nos mi mis tu tus "
            "su sus nuestro"
        ),
        "fr": (
            "le la les un une des du de et ou à au aux en dans par pour avec que qui quoi quel quelle quels "
            "quelles quand où pourquoi comment dont je tu il elle on nous vous ils elles me te se lui leur mon ma "
            "mes ton ta tes son sa ses notre votre ce cette ces"
        ),
        "it": (
            "il lo la i gli le un uno una e o di del della dei delle a al alla in nel nella con per da dal dalla "
            "che chi cosa quale quali quando dove perché come io tu lui lei noi voi loro mi ti si ci vi mio mia "
            "tuo tua suo sua"
        ),
        "nl": (
            "de het een en of van te in op aan bij voor met uit als dat die dit is zijn was waren geweest wordt "
            "worden werd werden heeft hebben had hadden kan kunnen kon wie wat welke welk wanneer waar waarom hoe "
            "ik jij je hij zij ze wij we jullie hem haar ons hun mijn jouw"
        ),
        "pt": (
            "o a os as um uma e ou de do da dos das em no na nos nas ao à com por para que quem qual quais quando "
            "onde porque como eu tu você ele ela nós eles elas me te se lhe meu minha teu tua seu sua"
        ),
    }.items()
}
