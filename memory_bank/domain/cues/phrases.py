"""Cue phrases: words by which a note announces how it relates to another one, in eleven languages.

An outer cue points out of its note ("in contrast to the old one", "for example, last May"); an inner one mostly joins
two clauses of the same note ("because", "but") and says less about another note. Spaced scripts are matched word by
word, Chinese, Japanese and Korean by substring; `|` separates phrases, each in lower case, without punctuation.
"""

from memory_bank.domain.links import LinkType

LANGUAGES = ("en", "de", "es", "fr", "it", "pt", "nl", "ru", "zh", "ja", "ko")
"""The languages of the rows of each list, in order."""

OUTER: dict[LinkType, tuple[str, ...]] = {
    LinkType.CAUSAL: (
        # en
        "as a result|as a consequence|in consequence|consequently|therefore|thus|hence|that is why|this is why"
        "|which is why"
        "|which explains|this explains|that explains|explains why|explained by|the reason is|the reason was"
        "|reason for this"
        "|root cause|the cause was|caused by|was caused by|is caused by|caused the|due to this|because of this"
        "|because of that"
        "|led to|leads to|leading to|resulted in|results in|resulting in|brought about|brought on by|gave rise to"
        "|traced to"
        "|traces to|blamed on|thanks to|owing to|on account of|attributable to|stems from|stemmed from"
        "|the culprit|triggered by"
        "|triggers|triggered the|for this reason|for that reason|the upshot|the consequence|knock on effect"
        "|made it impossible",
        # de
        "deshalb|deswegen|darum|daher|infolgedessen|folglich|somit|aus diesem grund|der grund dafür|grund war"
        "|ursache war"
        "|die ursache|führte zu|führte dazu|führt zu|hat dazu geführt|verursacht|verursachte|ausgelöst durch"
        "|schuld war"
        "|schuld daran|liegt daran|lag daran|zurückzuführen|in der folge|als folge|die folge war|infolge|dadurch"
        "|weshalb",
        # es
        "por eso|por ello|por lo tanto|por tanto|por consiguiente|en consecuencia|como consecuencia"
        "|como resultado|debido a"
        "|a causa de|por culpa de|la causa fue|la razón es|provocó|provocado por|causó|causado por|llevó a"
        "|dio lugar a"
        "|de ahí que|por esta razón|por ese motivo|por este motivo|se debe a|se debió a",
        # fr
        "c'est pourquoi|c'est pour cela|par conséquent|en conséquence|donc|du coup|de ce fait|à cause de|en raison de"
        "|la cause|la raison|a provoqué|provoqué par|a causé|causé par|a entraîné|a conduit à|a mené à|est dû à"
        "|dû à|due à"
        "|suite à|il en résulte|résultat",
        # it
        "perciò|quindi|pertanto|di conseguenza|per questo|per questo motivo|ecco perché|a causa di|a causa del"
        "|a causa della"
        "|la causa|il motivo|ha causato|causato da|ha provocato|provocato da|ha portato a|dovuto a|in seguito a"
        "|colpa",
        # pt
        "por isso|portanto|por conseguinte|em consequência|como consequência|como resultado|devido a|devido à"
        "|devido ao"
        "|por causa|a causa foi|o motivo|causou|causado por|provocou|provocado por|levou a|resultou em|daí que",
        # nl
        "daarom|daardoor|dus|vandaar|bijgevolg|als gevolg|ten gevolge|hierdoor|waardoor|de oorzaak|de reden"
        "|veroorzaakt"
        "|veroorzaakte|leidde tot|leidt tot|te wijten aan|dankzij|vanwege",
        # ru
        "поэтому|следовательно|вследствие|в результате|из-за|из за|благодаря|причина|причиной|по этой причине"
        "|привело к|привел к|привела к"
        "|привели к|вызвано|вызвал|вызвала|вызвало|отсюда",
        # zh ja ko
        "因此|因而|所以|于是|導致|导致|造成|引起|引发|原因是|原因在于|起因|归因于|由此|结果是|的结果|是因为|为此",
        "そのため|このため|したがって|従って|だから|それで|その結果|結果として|原因は|原因で|が原因|理由は|引き起こ|招いた|せいで|おかげで"
        "|によって生じ",
        "때문에|그래서|따라서|그러므로|그 결과|결과로|원인은|이유는|탓에|덕분에|으로 인해|로 인해|초래",
    ),
    LinkType.CONTRAST: (
        "in contrast|by contrast|in contrast to|contrasts with|unlike|whereas|on the other hand|by comparison"
        "|in comparison"
        "|compared with|compared to|as opposed to|different from|differs from|differ from|differently from"
        "|rather than|conversely"
        "|instead of|set against|versus|vs|not so|the other way round|alternatively",
        "im gegensatz zu|im gegensatz zum|im gegensatz zur|im gegensatz dazu|dagegen|hingegen|demgegenüber"
        "|anders als|im vergleich"
        "|verglichen mit|im unterschied|wohingegen|andererseits|umgekehrt|statt dessen|stattdessen|gegenüber",
        "a diferencia de|a diferencia del|en cambio|por el contrario|en contraste|en comparación|comparado con"
        "|comparada con"
        "|frente a|mientras que|por otro lado|por otra parte|al revés que|al contrario que|distinto de|en lugar de",
        "contrairement à|contrairement au|contrairement aux|en revanche|par contre|à la différence|à l'inverse"
        "|par rapport à"
        "|comparé à|comparée à|tandis que|alors que|d'un autre côté|à l'opposé|au lieu de|par comparaison",
        "a differenza di|a differenza del|a differenza della|a differenza dei|invece|al contrario di|in confronto"
        "|rispetto a|rispetto al"
        "|mentre|d'altra parte|d'altro canto|per contro|diversamente da",
        "ao contrário de|ao contrário do|ao contrário da|diferentemente|em contraste|em contrapartida"
        "|por outro lado|comparado com"
        "|comparada com|em comparação|enquanto que|já o|já a|em vez de",
        "in tegenstelling tot|daarentegen|anders dan|vergeleken met|in vergelijking met|aan de andere kant"
        "|terwijl|ten opzichte van",
        "в отличие от|напротив|наоборот|по сравнению|с другой стороны|тогда как|в то время как|зато|вместо",
        "与此相反|相比之下|相比|相较|不同于|与其|而不是|反之|另一方面|反观|则不同|不同,|不同的是|相对而言|对比",
        "とは違い|と違って|とは異なり|と異なり|とは違って|に対して|に対し|対照的|一方|比べ|それに引き換え|反対に|逆に",
        "와 달리|과 달리|반면|반면에|반대로|대조적|비해|비교하면|한편",
    ),
    LinkType.EXAMPLE: (
        "for example|for instance|e.g|e g|as an example|an example|one example|another example|example of"
        "|an illustration|as an illustration"
        "|illustrates|to illustrate|illustrated by|a case in point|case in point|a typical case|one such|such as"
        "|an instance"
        "|typical instance|one instance|exemplifies|a prime example|take for example|a textbook case|as happened"
        "|as seen in|namely",
        "zum beispiel|beispielsweise|etwa als|ein beispiel|als beispiel|beispiel dafür|beispiel für|z b|so etwa"
        "|so zum beispiel"
        "|paradebeispiel|ein fall davon|veranschaulicht|exemplarisch",
        "por ejemplo|un ejemplo|ejemplo de|a modo de ejemplo|como ejemplo|p ej|tal como|un caso de|caso típico"
        "|como muestra|ilustra",
        "par exemple|un exemple|exemple de|à titre d'exemple|comme exemple|p ex|illustre|en est un exemple|notamment",
        "per esempio|ad esempio|un esempio|esempio di|a titolo di esempio|un caso tipico|ne è un esempio|illustra",
        "por exemplo|um exemplo|exemplo de|a título de exemplo|como exemplo|caso típico|ilustra",
        "bijvoorbeeld|een voorbeeld|als voorbeeld|voorbeeld van|zoals toen|bv|ter illustratie",
        "например|к примеру|примером|пример|в качестве примера|иллюстрирует",
        "例如|比如|譬如|举例|举个例子|例子|为例|好比|典型的",
        "例えば|たとえば|例として|一例|の例だ|具体例|具体的には|などがその例|典型例",
        "예를 들어|예를 들면|예컨대|예시|사례|이를테면",
    ),
    LinkType.DERIVED_CONCEPT: (
        "in general|generally speaking|generally|as a rule|rule of thumb|general rule|the rule|rule drawn|a rule"
        "|lesson|lessons|lesson learned"
        "|takeaway|the pattern|general pattern|a pattern|the principle|principle|the moral|in short|in sum"
        "|in summary|to sum up"
        "|summing up|overall|all in all|on the whole|by and large|the concept|the idea of|the notion|the law of"
        "|conclusion"
        "|we conclude|it follows that|this shows that|this suggests|observations like these|these observations"
        "|such observations|taken together|heuristic"
        "|guideline|generalises|generalizes|generalisation|generalization|more generally|abstracting|insight"
        "|from this we learn"
        "|the common thread|common denominator|what they have in common|best practice",
        "faustregel|grundregel|grundsätzlich|im allgemeinen|allgemein|generell|in der regel|die regel"
        "|abgeleitete regel|daraus abgeleitet"
        "|lehre daraus|die lehre|lektion|fazit|insgesamt|zusammenfassend|kurz gesagt|unterm strich|das muster"
        "|muster dahinter"
        "|prinzip|grundsatz|das konzept|daraus folgt|schlussfolgerung|erkenntnis|alles in allem|merksatz|leitlinie",
        "en general|por regla general|como regla|regla general|regla|lección|la lección|en resumen|en conclusión"
        "|en definitiva"
        "|conclusión|el patrón|patrón|principio|concepto|moraleja|de ahí se deduce|en conjunto|norma general"
        "|aprendizaje",
        "en général|de manière générale|règle générale|en règle générale|règle|leçon|la leçon|en résumé|en somme"
        "|en conclusion"
        "|conclusion|le principe|principe|le concept|concept|schéma|dans l'ensemble|globalement|on en déduit"
        "|à retenir",
        "in generale|di norma|di regola|regola generale|regola|lezione|in sintesi|in conclusione|conclusione"
        "|principio|concetto"
        "|nel complesso|lo schema|morale|tutto sommato|ne deriva",
        "em geral|de modo geral|via de regra|regra geral|regra|lição|em resumo|em suma|conclusão|princípio"
        "|conceito|padrão|no geral",
        "over het algemeen|in het algemeen|vuistregel|als regel|in de regel|regel|les|geleerde les|kortom"
        "|samengevat|conclusie"
        "|principe|begrip|patroon|al met al",
        "в общем|в целом|как правило|правило|общее правило|урок|вывод|итак|подводя итог|принцип|понятие"
        "|закономерность|обобщая",
        "总的来说|总之|一般来说|一般而言|总体而言|综上|归纳|总结|教训|规律|经验法则|原则|概念|由此可见|可见|通常来说|经验是|结论",
        "要するに|一般に|一般的に|総じて|つまり|まとめると|教訓|法則|経験則|原則|概念|結論|傾向がある|全体として|概して|共通するのは",
        "일반적으로|대체로|요컨대|결론적으로|전반적으로|교훈|법칙|원칙|개념|결론|경험칙|패턴",
    ),
    LinkType.SHARED_CONTEXT: (
        "in the same|at the same|on the same|of the same|for the same|from the same|the same|same|also"
        "|another item|another point|likewise|related to"
        "|as well|in addition|additionally|further to|furthermore|moreover|meanwhile|at that meeting|same day"
        "|same week|same trip"
        "|same project|on the agenda|also for|also on|also in|also at|also from|besides|one more|next item"
        "|elsewhere in|part of the same",
        "in derselben|im selben|am selben|bei derselben|in demselben|zur selben|außerdem|ebenfalls|ebenso|auch"
        "|zudem|darüber hinaus"
        "|weiterer punkt|ferner|derselbe|dieselbe|dasselbe|gleichen|zum selben|vom selben|des weiteren|gehört zum",
        "en la misma|en el mismo|del mismo|de la misma|al mismo|también|tampoco|además|asimismo|igualmente"
        "|otro punto|el mismo|la misma"
        "|relacionado con|por otra parte en|mismo proyecto",
        "dans la même|dans le même|lors de la même|du même|de la même|au même|aussi|également|en outre|de plus"
        "|par ailleurs|autre point"
        "|de même|le même|la même|toujours pour",
        "nella stessa|nello stesso|dello stesso|della stessa|allo stesso|anche|inoltre|altro punto|altresì"
        "|ugualmente|la stessa|lo stesso|sempre per",
        "na mesma|no mesmo|do mesmo|da mesma|ao mesmo|também|além disso|ademais|outro ponto|igualmente|a mesma|o mesmo",
        "in dezelfde|op dezelfde|van dezelfde|in hetzelfde|van hetzelfde|ook|bovendien|daarnaast|eveneens|tevens"
        "|ander punt|dezelfde|hetzelfde",
        "в том же|в той же|на том же|на той же|того же|той же|также|тоже|кроме того|ещё один|еще один"
        "|помимо этого|заодно|там же",
        "同一|同样|另外|此外|还有|也在|同时|同个|同场|同次|同日|同天|顺便|相关的|并且还",
        "同じ|また|さらに|加えて|ほかに|併せて|あわせて|同様に|関連して|同日|同時に|そのほか|ついでに",
        "같은|또한|게다가|아울러|동일한|더불어|역시|같은 날|관련하여|그 외",
    ),
    LinkType.OPPOSITION: (
        "contrary to|contradicts|contradict|contradicted|contradicting|refutes|refute|refuted|disproves|disproved"
        "|debunks|debunked|that is wrong"
        "|this is wrong|is wrong|was wrong|are wrong|wrongly|is false|was false|is untrue|not true|untrue"
        "|is a myth|a myth|incorrect|is incorrect|inaccurate"
        "|correction|corrected|erratum|in fact|actually|in reality|no longer true|mistaken|is mistaken|disputes"
        "|disputed|denies|denied"
        "|rejects the claim|the claim that|the belief that|despite the claim|despite what|conflicts with"
        "|inconsistent with|at odds with|overturns|overturned"
        "|retracted|misconception|on the contrary|far from|nothing of the sort|does not hold|did not hold"
        "|doesn't hold|fails to support",
        "entgegen|widerspricht|widerlegt|widerlegen|stimmt nicht|stimmt so nicht|ist falsch|war falsch|falsch ist"
        "|falsch|unwahr|irrtum|irrtümlich|korrektur|berichtigung"
        "|richtigstellung|in wirklichkeit|tatsächlich|in wahrheit|mitnichten|keineswegs|trifft nicht zu"
        "|nicht wahr|unzutreffend|mythos|im widerspruch|sondern",
        "no es cierto|no es verdad|es falso|es falsa|falso|contradice|refuta|desmiente|contrario a|en contra de"
        "|al contrario de lo que|corrección|error|errónea|erróneo|en realidad"
        "|de hecho|incorrecto|incorrecta|es un mito|equivocado|rectificación|lejos de|sino",
        "contraire à|contredit|réfute|dément|c'est faux|est faux|est fausse|faux|ce n'est pas vrai|pas vrai"
        "|erreur|erroné|erronée|correction|rectificatif|en réalité|en fait|inexact"
        "|un mythe|à tort|contrairement à ce que|loin de",
        "contraddice|smentisce|confuta|è falso|è falsa|falso|non è vero|errore|errato|errata|correzione|rettifica"
        "|in realtà|in effetti|contrariamente a quanto|sbagliato|un mito"
        "|lungi da|bensì",
        "contradiz|refuta|desmente|é falso|é falsa|falso|não é verdade|não é certo|errado|errada|correção"
        "|retificação|na verdade|na realidade|contrariamente ao que|um mito"
        "|ao contrário do que|incorreto",
        "in strijd met|spreekt tegen|weerlegt|klopt niet|is onjuist|onjuist|is fout|niet waar|fout|correctie"
        "|rectificatie|in werkelijkheid|eigenlijk|anders dan beweerd|een mythe",
        "вопреки|противоречит|опровергает|опровергли|неверно|неправда|ошибочно|ошибка|ложь|на самом деле"
        "|в действительности|поправка|исправление|миф|не соответствует",
        "不对|有误|错误的|是错的|不正确|并非|其实|事实上|实际上|恰恰相反|与事实不符|纠正|更正|反驳|推翻|否认|否定|矛盾|谣言|说法不|根本没|根本不|不成立|误解",
        "間違い|誤り|誤って|正しくない|事実ではない|とは逆に|反し|矛盾|否定|反証|覆|訂正|実際には|実は|嘘|誤解|ではなく|どころか|事実と異な",
        "사실이 아니|틀렸|잘못된|잘못이|모순|반박|부인|정정|사실은|실제로는|오해|거짓|아니라|와 반대로|어긋",
    ),
}

INNER: dict[LinkType, tuple[str, ...]] = {
    LinkType.CAUSAL: (
        "because|since|due to|so that|cause|causes|caused|so|made|makes|after|forced|ever since|result|effect|thereby",
        "weil|da|denn|wegen|aufgrund|sodass|so dass|nachdem|durch|seit",
        "porque|ya que|puesto que|así que|pues|tras|de modo que|dado que",
        "parce que|car|puisque|si bien que|après|comme",
        "perché|poiché|siccome|cosicché|dato che|dopo",
        "porque|pois|já que|uma vez que|de modo que|após",
        "omdat|want|doordat|zodat|door|aangezien|nadat",
        "потому что|так как|поскольку|так что|после",
        "因为|由于|因|致使|使得|以致|之后|后就",
        "ので|ため|から、|結果|せい|により|以来|影響",
        "니까|아서|어서|므로|이후|바람에",
    ),
    LinkType.CONTRAST: (
        "while|but|however|yet|although|though|instead|only|otherwise|in turn|more than|less than|rather",
        "während|aber|jedoch|doch|obwohl|allerdings|statt|nur",
        "mientras|pero|sin embargo|aunque|no obstante|en vez de",
        "mais|cependant|toutefois|bien que|pourtant|plutôt",
        "ma|però|tuttavia|sebbene|anziché",
        "mas|porém|contudo|embora|todavia|enquanto",
        "maar|echter|hoewel|toch",
        "но|однако|хотя|а не",
        "但是|但|然而|不过|却|虽然|而",
        "が、|しかし|だが|けれど|ただし|のに",
        "하지만|그러나|그런데|지만",
    ),
    LinkType.EXAMPLE: (
        "like|including|say|once|typical|this time|case|instance|example",
        "wie|etwa|einmal|beispiel|diesmal",
        "como|incluido|una vez|ejemplo|caso",
        "comme|une fois|exemple",
        "come|una volta|esempio",
        "como|uma vez|exemplo",
        "zoals|een keer|voorbeeld",
        "как|однажды",
        "像|诸如|这次|有一次",
        "のような|など|ある日|今回",
        "같이|처럼|등",
    ),
    LinkType.DERIVED_CONCEPT: (
        "always|never|every|usually|whenever|tends|tend|should|must|best|rule|pattern|observations",
        "immer|nie|jede|jeder|jedes|meist|sollte|muss|stets|regel",
        "siempre|nunca|cada|suele|suelen|debe|conviene",
        "toujours|jamais|chaque|il faut|doit",
        "sempre|mai|ogni|bisogna|deve",
        "sempre|nunca|cada|deve|convém",
        "altijd|nooit|elke|ieder|moet",
        "всегда|никогда|каждый|нужно|следует",
        "总是|每次|凡是|都应|应该|必须|越",
        "いつも|必ず|べき|ほど|たびに|常に",
        "항상|언제나|마다|해야|수록",
    ),
}
