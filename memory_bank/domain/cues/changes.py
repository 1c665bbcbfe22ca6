"""Words by which a fact denies, ends, replaces or bounds what another one says, by language.

Each row is a list of phrases separated by `|`, in lower case; Chinese, Japanese and Korean phrases are matched
character by character. A phrase is looked up only in facts of its language.
"""

# What makes a clause negative. Idioms that only look so are in `NO_NEGATIONS` and are matched first.
NEGATORS: dict[str, str] = {
    "en": (
        "not|no|never|none|nobody|nothing|neither|nor|cannot|can't|won't|don't|doesn't|didn't|isn't|aren't|wasn't"
        "|weren't|hasn't|haven't|hadn't|shouldn't|wouldn't|couldn't|mustn't|needn't|ain't|unable to|no longer"
        "|not any more|not anymore|any more|anymore|any longer|fails to|refuses to|lacks|without|nowhere"
    ),
    "de": (
        "nicht|kein|keine|keinen|keinem|keiner|keines|nie|niemals|niemand|nichts|ohne|nirgends|nicht mehr|kein mehr"
        "|keinerlei|weder"
    ),
    "es": "no|nunca|jamás|nadie|nada|ningún|ninguna|ninguno|sin|tampoco|ya no|ni",
    "fr": "ne|n'|pas|jamais|aucun|aucune|rien|personne|sans|ne plus|ni|nulle part",
    "it": "non|mai|nessun|nessuna|nessuno|niente|nulla|senza|non più|né",
    "pt": "não|nunca|jamais|ninguém|nada|nenhum|nenhuma|sem|já não|não mais|nem",
    "nl": "niet|geen|nooit|niemand|niets|zonder|niet meer|geen meer|nergens|noch",
    "zh": "不|没|沒|没有|沒有|无|無|未|别|勿|不再|从不|不会|不能|无法|禁止|并非|不是|尚未|还没|绝不|从未",
    "ja": "ない|なかっ|ません|ませ|なく|ず|ぬ|まい|ありません|できない|できません|なし|無し|禁止|不可",
    "ko": "없다|없습니다|없어요|않다|않는다|않습니다|못한다|못합니다|않|없|못|안|아니|말아|금지|불가",
}

NO_NEGATIONS: dict[str, str] = {
    "en": (
        "not only|not just|not merely|no more than|no less than|not more than|not less than|no fewer than"
        "|no later than|not later than|no earlier than|not before|not until|nothing but|no matter|no doubt|cannot wait"
        "|can't wait|whether or not|no one else|if not|not least|no sooner|more often than not|no problem|without fail"
        "|why not"
    ),
    "de": (
        "nicht nur|nicht später als|nicht mehr als|nicht weniger als|ohne weiteres|nicht zuletzt|nicht vor|nichts als"
        "|ohne ausnahme|nicht erst"
    ),
    "es": "no solo|no sólo|no más de|no menos de|sin duda|sin embargo|no obstante|nada más|sin falta|sin excepción",
    "fr": "non seulement|pas seulement|sans doute|pas plus de|pas moins de|pas avant|sans faute|ne que|sans exception",
    "it": "non solo|non soltanto|non più di|non meno di|senza dubbio|non prima|senza eccezione",
    "pt": "não só|não apenas|não mais de|não menos de|sem dúvida|não obstante|sem falta",
    "nl": "niet alleen|niet meer dan|niet minder dan|zonder twijfel|niet later dan|niet voor",
    "zh": (
        "不仅|不只|不但|不同|不过|不断|不久|不锈钢|不动产|非常|未来|无线|无人机|没关系|不得不|不少|差不多|不论|无论"
        "|不管|特别|类别|级别|个别|性别|分别|区别|识别|无疑|不超过|不低于|不足|未婚|无糖|無線|別"
    ),
    "ja": (
        "だけでなく|のみならず|かもしれない|なければならない|なくてはならない|なければなりません|ないといけない|少ない"
        "|危ない|もったいない|に違いない|に過ぎない|ざるを得ない|まず|必ず|ずっと|ずつ|いずれ|はず|あらかじめず|せず"
        "|不動産|みず|きずな|ぬるい|いぬ|たぬき|いなく|間もなく|まもなく|ほどなく|なくなっ"
    ),
    "ko": "뿐만 아니|않을 수 없|못지않|아니라|안내|안전|안정|안경|안쪽|안에",
}

# What says that something is over. The theme, what is over, stands before a passive one and after an active one.
ENDINGS: dict[str, str] = {
    "en": (
        "removed|dropped|discontinued|deprecated|retired|scrapped|abolished|cancelled|canceled|terminated|ended|closed"
        "|shut down|closed down|phased out|withdrawn|deleted|decommissioned|dismantled|demolished|torn down|taken down"
        "|pulled down|taken out|taken off|thrown away|thrown out|disposed of|given away|sold off|disbanded|dissolved"
        "|suspended|revoked|rescinded|repealed|switched off|turned off|turned down|disabled|deactivated|uninstalled"
        "|stopped|ceased|quit|gave up|abandoned|axed|ditched|wound up|wound down|struck off|crossed off|unplugged"
        "|archived|sunset|sunsetted|killed off|done away with|did away with|got rid of|rid of|eliminated|erased|purged"
        "|unsubscribed|resigned|stepped down|laid off|expired|lapsed|gone|defunct|obsolete|extinct|out of service"
        "|out of use|out of print|off the menu|not renewed|come to an end|came to an end|no longer accepted"
        "|no longer served|no longer provided|no longer produced|no longer issued|no longer delivered"
        "|no longer organised|no longer organized|no longer broadcast|no longer taught|no longer possible"
        "|no longer operates|no longer takes place|no longer valid|no longer exists|no longer exist|does not exist"
        "|doesn't exist|no longer available|no longer offered|no longer sold|no longer in use|no longer used"
        "|no longer runs|no longer running|no longer held|no longer made|no longer published|no longer there"
        "|no longer supported|no longer maintained|is over|are over|has left|left the|left his|left her|left its"
        "|no more|taken away|felled|chopped down|uprooted|dug up|grubbed up|handed back the|gave notice on"
        "|handed in her notice|handed in his notice|binned|cut from|discarded|dumped|chucked|stepped down as"
        "|stepped down from|resigned as|resigned from|unsubscribed from|dropped out of|pulled out of|withdrew from"
        "|retired as|retired from|quit as|sold his|sold her|sold their|sold the|sold its|got rid of the|was sold"
        "|were sold|has been sold|have been sold|was cut|went out of|given up|was lifted|ended its|ended their"
        "|replaced|superseded|swapped out|pensioned off|mothballed|handed back|died|passed away|used to|broke up"
        "|went bankrupt|stopped making|cut down|ripped out|stripped out|rolled back|called off|written off"
        "|taken offline|offline|banned|outlawed|unpublished|unlisted|drops|retires|removes|scraps|cancels|discontinues"
        "|gave away|scrapping|closing down|dropping|let go"
    ),
    "de": (
        "entfernt|gestrichen|eingestellt|abgeschafft|gekündigt|storniert|abgesagt|beendet|geschlossen|stillgelegt"
        "|abgeschaltet|ausgeschaltet|deaktiviert|gelöscht|abgebaut|abgerissen|abgenommen|entsorgt|weggeworfen"
        "|verschrottet|aufgelöst|aufgegeben|aufgehört|ausgelaufen|abgelaufen|zurückgezogen|widerrufen|aufgehoben"
        "|ersetzt|verkauft|ausgemustert|verabschiedet|abgestellt|abgemeldet|ausgetreten|weggefallen|entfallen|entfällt"
        "|weg|abgelöst|außer betrieb|vom netz genommen|abgewickelt|stellt ein|gibt es nicht mehr|ausrangiert"
        "|verschenkt|gefällt|nicht mehr|zugemacht|dichtgemacht|deinstalliert|abbestellt|eingestampft|hat verlassen"
        "|verlassen|genommen"
    ),
    "es": (
        "eliminado|eliminada|eliminados|eliminadas|retirado|retirada|retirados|retiradas|suprimido|suprimida"
        "|suprimidos|suprimidas|cancelado|cancelada|cancelados|canceladas|cerrado|cerrada|cerrados|cerradas|clausurado"
        "|clausurada|abandonado|abandonada|desactivado|desactivada|desmantelado|desmantelada|derogado|derogada"
        "|disuelto|disuelta|descatalogado|descatalogada|vendido|vendida|tirado|tirada|desechado|desechada|sustituido"
        "|sustituida|reemplazado|reemplazada|borrado|borrada|quitado|quitada|apagado|apagada|jubilado|despedido"
        "|canceló|cerró|eliminó|retiró|suprimió|abandonó|dejó de|ha dejado de|dejaron de|se dio de baja|dado de baja"
        "|dada de baja|desapareció|desaparecido|ya no existe|quitó|vendió|quitaron|retiraron|eliminaron|cancelaron"
        "|cerraron|suspendido|suspendida|anulado|anulada|caducado|caducada|dejado de|obsoleto|obsoleta|discontinuado"
        "|discontinuada|ha terminado|terminó|finalizó|demolido|derribado"
    ),
    "fr": (
        "supprimé|supprimée|supprimés|supprimées|retiré|retirée|retirés|retirées|abandonné|abandonnée|annulé|annulée"
        "|fermé|fermée|fermés|fermées|arrêté|arrêtée|résilié|résiliée|dissous|dissoute|désactivé|désactivée|démonté"
        "|démontée|démoli|démolie|aboli|abolie|abrogé|vendu|vendue|jeté|jetée|remplacé|remplacée|enlevé|enlevée|expiré"
        "|expirée|terminé|interrompu|suspendu|suspendue|a cessé|cessé de|mis hors service|mise hors service|mis fin"
        "|n'existe plus|disparu|quitté|a arrêté|débranché|débranchée|obsolète|a pris fin|a pris sa retraite|licencié"
        "|effacé|effacée|discontinué"
    ),
    "it": (
        "rimosso|rimossa|rimossi|rimosse|eliminato|eliminata|eliminati|eliminate|soppresso|soppressa|cancellato"
        "|cancellata|annullato|annullata|chiuso|chiusa|chiusi|chiuse|dismesso|dismessa|ritirato|ritirata|abbandonato"
        "|abbandonata|disattivato|disattivata|smantellato|smantellata|demolito|demolita|abolito|abolita|abrogato"
        "|sciolto|sciolta|venduto|venduta|buttato|buttata|sostituito|sostituita|tolto|tolta|scaduto|scaduta|disdetto"
        "|disdetta|sospeso|sospesa|ha smesso|smesso di|cessato|non esiste più|lasciato|spento|spenta|interrotto"
        "|terminato|fuori produzione"
    ),
    "pt": (
        "removido|removida|removidos|removidas|eliminado|eliminada|retirado|retirada|suprimido|cancelado|cancelada"
        "|encerrado|encerrada|fechado|fechada|descontinuado|descontinuada|desativado|desativada|desmontado|demolido"
        "|abolido|revogado|dissolvido|vendido|vendida|descartado|substituído|substituída|apagado|apagada|excluído"
        "|excluída|suspenso|suspensa|deixou de|deixaram de|abandonado|abandonada|extinto|extinta|terminou|acabou"
        "|cancelou|encerrou|fechou|expirou|aposentado|desligado|desligada"
    ),
    "nl": (
        "verwijderd|geschrapt|stopgezet|afgeschaft|opgezegd|geannuleerd|afgelast|beëindigd|gesloten|opgeheven"
        "|uitgeschakeld|gedeactiveerd|gewist|afgebroken|gesloopt|weggegooid|ontbonden|opgegeven|gestopt|verlopen"
        "|ingetrokken|vervangen|verkocht|buiten gebruik|afgedankt|ontslagen|vertrokken|weggehaald|uitgefaseerd"
        "|bestaat niet meer|afgelopen|weg"
    ),
    "zh": (
        "下线|下架|停用|取消|删除|移除|废除|废弃|关闭|停止|终止|停产|停业|停办|歇业|关张|撤销|撤下|撤掉|拆除|拆掉|拆了"
        "|淘汰|弃用|退役|解散|注销|退出|退订|卸载|报废|扔掉|扔了|卖掉|卖了|解除|中止|暂停|倒闭|关门|关停|作废|失效"
        "|过期|到期|辞职|离职|退休|去世|不再|停播|停刊|裁撤|取缔|砍掉|替换|被取代|弃置|停运|停开|戒掉|戒了|退掉"
    ),
    "ja": (
        "廃止|廃業|倒産|閉校|廃校|閉園|終了|削除|撤去|中止|停止|解約|退会|退職|閉鎖|閉店|閉館|撤退|解散|廃棄|処分"
        "|取りやめ|取り外|取りはずし|外され|打ち切|やめた|やめて|辞め|なくなっ|無くなっ|売却|手放し|撤回|無効化|廃刊"
        "|廃盤|引退|卒業し|終わっ|生産終了|解体|取り壊|キャンセル|捨て|外した|置き換え|廃線|休止|消え|引き払|破棄|解除"
        "|失効|取り下げ"
    ),
    "ko": (
        "폐지|종료|삭제|제거|철거|중단|중지|해지|탈퇴|퇴사|폐쇄|폐업|폐점|해체|폐기|취소|철회|비활성화|단종|은퇴|끝났"
        "|없앴|없어졌|그만뒀|그만두|팔았|처분|만료|해산|버렸|사라졌"
    ),
}

# What says that something is as before, or is so once more: the opposite of an ending.
RETURNS: dict[str, str] = {
    "en": (
        "again|back|reopened|restored|resumed|reinstated|reactivated|re-enabled|reintroduced|relaunched|revived"
        "|returned|restarted|now available|is back|after all"
    ),
    "de": "wieder|erneut|wiedereröffnet|wiederhergestellt|reaktiviert|doch",
    "es": (
        "de nuevo|otra vez|nuevamente|reabierto|reabierta|restablecido|reactivado|vuelve a|volvió a|vuelven a"
        "|ha vuelto a|reabrió|reanudó|volvió"
    ),
    "fr": "de nouveau|à nouveau|rouvert|rouverte|rétabli|réactivé|remis|reprend|repris",
    "it": "di nuovo|nuovamente|riaperto|riaperta|ripristinato|riattivato|ripreso",
    "pt": "de novo|novamente|reaberto|reaberta|restaurado|reativado|voltou a|volta a|retomou",
    "nl": "weer|opnieuw|heropend|hersteld|hervat|terug",
    "zh": "重新|再次|又|恢复|重启|重开|复工|复播",
    "ja": "再開|復活|復旧|再び|また|復帰|再導入",
    "ko": "다시|재개|복구|복원|부활",
}

# Verbs and adverbs of replacement: they say that a value changed, and are no part of what is compared.
REPLACEMENTS: dict[str, str] = {
    "en": (
        "now|currently|at present|at the moment|these days|nowadays|today|presently|as of now|meanwhile|already|still"
        "|since|changed|changed to|moved|moved to|switched|switched to|migrated|migrated to|upgraded|upgraded to"
        "|updated|updated to|downgraded|downgraded to|bumped|bumped to|raised|raised to|lowered|lowered to|increased"
        "|increased to|reduced|reduced to|cut to|extended|extended to|shortened|shortened to|renamed|renamed to"
        "|replaced by|replaced with|became|become|has become|turned|went up|went down|went|rose|rose to|fell|fell to"
        "|grew|grew to|shrank|dropped to|got|set|reset|relocated|relocated to|transferred|transferred to|converted"
        "|ported|rewritten|instead|from now on|new|recently|lately|in the meantime|by now|revised|corrected|correction"
        "|actually|brought forward|pushed back|postponed to|rescheduled|postponed|expanded|doubled|halved|latest"
        "|current|up to date|has been|have been|just"
    ),
    "de": (
        "jetzt|nun|inzwischen|mittlerweile|derzeit|aktuell|zurzeit|momentan|neuerdings|seither|geändert|gewechselt"
        "|umgezogen|umgestellt|migriert|aktualisiert|erhöht|gesenkt|angehoben|verlängert|verkürzt|umbenannt|geworden"
        "|gestiegen|gesunken|gewachsen|verlegt|verschoben|neu|neue|neuer|neues|neuen|stattdessen|heute|künftig"
        "|ab sofort|bereits|schon|noch|hochgestuft|angepasst|korrigiert|aktualisierte|liegt|beträgt|steht|läuft|gibt"
    ),
    "es": (
        "ahora|actualmente|hoy|hoy en día|ya|todavía|aún|cambió|cambiado|cambió a|pasó a|ha pasado a|se mudó"
        "|se trasladó|migró|migrado|actualizó|actualizado|actualizada|se actualizó|subió|subió a|bajó|bajó a|aumentó"
        "|redujo|amplió|renombrado|nuevo|nueva|nuevos|nuevas|en cambio|recientemente|desde ahora|a partir de ahora"
        "|ampliado|reducido|corregido|es|está"
    ),
    "fr": (
        "maintenant|désormais|actuellement|aujourd'hui|déjà|encore|toujours|changé|passé|passé à|est passé|déménagé"
        "|migré|mis à jour|mise à jour|augmenté|réduit|porté|renommé|devenu|devenue|nouveau|nouvelle|nouveaux"
        "|nouvelles|dorénavant|à présent|récemment|déplacé|relevé|abaissé|prolongé"
    ),
    "it": (
        "ora|adesso|attualmente|oggi|ormai|già|ancora|cambiato|passato|passata|trasferito|migrato|aggiornato"
        "|aggiornata|aumentato|ridotto|rinominato|diventato|diventata|nuovo|nuova|nuovi|nuove|d'ora in poi"
        "|recentemente|spostato|spostata|salito|sceso|portato|esteso"
    ),
    "pt": (
        "agora|atualmente|hoje|já|ainda|mudou|mudou para|passou|passou a|passou para|migrou|atualizado|atualizada"
        "|aumentou|reduziu|renomeado|tornou-se|novo|nova|novos|novas|a partir de agora|recentemente|subiu|baixou"
        "|ampliado|transferido"
    ),
    "nl": (
        "nu|inmiddels|momenteel|tegenwoordig|thans|al|nog|gewijzigd|veranderd|verhuisd|overgestapt|gemigreerd"
        "|bijgewerkt|verhoogd|verlaagd|hernoemd|geworden|nieuw|nieuwe|voortaan|vandaag|sinds kort|verplaatst|verlengd"
        "|geüpgraded"
    ),
    "zh": (
        "现在|目前|当前|如今|现已|已经|已|仍|仍然|改为|改成|换成|变为|变成|升级到|升级为|升级至|升到|降到|提高到"
        "|提高至|调整为|调整到|迁移到|迁到|搬到|搬至|更新为|更新到|更名为|上调|下调|增加到|减少到|新|最新|从今|起|后来"
        "|扩大到|延长到|缩短到|更换为|转为|还|则"
    ),
    "ja": (
        "現在|今|今は|今では|すでに|既に|まだ|もう|変更|変わっ|移行|移転|引っ越|更新|アップグレード|引き上げ|引き下げ"
        "|増え|減っ|増やし|減らし|改名|新しい|新しく|新|切り替え|乗り換え|になっ|に変|最新|延長|短縮|値上げ|値下げ"
        "|されまし|した|今後"
    ),
    "ko": (
        "지금|현재|이제|요즘|이미|아직|변경|바뀌|바뀌었|옮겼|이전|이사|업그레이드|업데이트|인상|인하|늘었|줄었|개명|새"
        "|최신|전환|됐|되었"
    ),
}

# What leaves room for further values beside the one named.
ADDITIVE: dict[str, str] = {
    "en": (
        "also|too|as well|another|additionally|in addition|one of|some of|among others|among|e.g|for example"
        "|for instance|such as|including|a second|a third|further|besides|additional|extra|other|a few|several|part of"
        "|sometimes|occasionally|partly|alternatively|often|co|shares"
    ),
    "de": (
        "auch|außerdem|zusätzlich|ebenfalls|ebenso|weitere|weiterer|weiteres|eine zweite|ein zweiter|eine der"
        "|einer der|eines der|unter anderem|zum beispiel|beispielsweise|daneben|manchmal|teilweise|zudem"
    ),
    "es": (
        "también|además|otro|otra|uno de|una de|entre otros|por ejemplo|adicional|un segundo|una segunda|a veces"
        "|asimismo"
    ),
    "fr": (
        "aussi|également|en plus|un autre|une autre|un des|une des|l'un des|l'une des|entre autres|par exemple"
        "|un second|parfois"
    ),
    "it": (
        "anche|inoltre|un altro|un'altra|uno dei|una delle|tra gli altri|per esempio|ad esempio|un secondo|a volte|pure"
    ),
    "pt": "também|além disso|outro|outra|um dos|uma das|entre outros|por exemplo|um segundo|às vezes",
    "nl": "ook|bovendien|daarnaast|nog een|een van|één van|onder andere|bijvoorbeeld|een tweede|soms|tevens|eveneens",
    "zh": "也|还有|另外|此外|另一|之一|其中|例如|比如|同时|有时|包括|以及|其他",
    "ja": "も|また|ほかに|他に|さらに|の一つ|のひとつ|例えば|たとえば|など|別の|もう一つ|時々",
    "ko": "도|또한|다른|중 하나|예를 들|추가로|외에",
}

# What closes a clause for the comparison: reason, occasion or place of a claim, no part of the claim.
ASIDES: dict[str, str] = {
    "en": (
        "because|since|after|due to|for lack of|owing to|thanks to|so that|which|who|whose|where|while|although|though"
        "|but|when|as of|unless|given that|in favour of|in favor of|instead of|rather than|in order to|following"
        "|and so|so"
    ),
    "de": (
        "weil|da|seit|seitdem|nachdem|wegen|aufgrund|sodass|damit|obwohl|während|aber|sondern|mangels|statt|zugunsten"
        "|um"
    ),
    "es": (
        "porque|ya que|desde|desde que|después de|tras|debido a|por falta de|aunque|mientras|pero|sino|puesto que"
        "|para que|en lugar de|en vez de|a favor de"
    ),
    "fr": (
        "parce que|car|depuis|après|à cause de|faute de|en raison de|bien que|mais|puisque|afin de|au lieu de"
        "|au profit de|qui"
    ),
    "it": "perché|poiché|da quando|dopo|a causa di|per mancanza di|sebbene|ma|mentre|invece di|a favore di",
    "pt": "porque|já que|desde|depois de|após|devido a|por falta de|embora|mas|enquanto|em vez de|a favor de",
    "nl": "omdat|sinds|nadat|wegens|vanwege|door gebrek|zodat|hoewel|maar|terwijl|in plaats van|ten gunste van",
    "zh": "因为|由于|自从|因此|所以|但是|但|以便|而",
    "ja": "ので|ため|により|によって|けれど|ものの|のに",
    "ko": "때문에|이후|으로 인해|지만|므로",
}

# Words of manner, place in a process and plain being: they tell nothing about what a fact is about.
PLAIN: dict[str, str] = {
    "en": (
        "runs|run|running|uses|use|using|used|has|have|having|had|gets|get|takes|take|taking|took|makes|make|goes|go"
        "|comes|come|stays|stay|remains|remain|lies|sits|stands|keeps|keep|holds|hold|contains|needs|need|requires"
        "|require|ships|ship|built|build|builds|made|based|bound|pinned|pins|pin|targets|target|installed|deployed"
        "|deploy|costs|cost|amounts|totals|equals|counts|starts|start|begins|begin|lasts|last|lets|let|allows|allow"
        "|there|exactly|roughly|about|around|approximately|nearly|almost|up|at most|at least|per|each|every|always"
        "|usually|fully|completely|entirely|temporarily|permanently|for good|altogether|in total|total|overall|really"
        "|right|well|even|once|one|ones|thing|things|way|people|person|listed|measures|listens|listen|charges|charge"
        "|works|working|work|serves|employs|employ|owns|own|have got|got|weighs|weigh|reads|read|does|did|do|be|being"
        "|been|will|ever|yet|either|any|all|version|versions|stage|phase|mode|status|state|doing|release|number|amount"
        "|value|on site|in use|available|possible|found|present|live|located|place|takes place|opens|open"
    ),
    "de": (
        "hat|haben|nutzt|verwendet|benutzt|braucht|benötigt|kostet|dauert|beginnt|startet|bleibt|enthält|umfasst"
        "|besteht|etwa|rund|circa|ca|ungefähr|genau|insgesamt|immer|meist|pro|je|jede|jeden|jeder|jedes|ganz|komplett"
        "|dauerhaft|vorübergehend|endgültig|version|wird|werden|wurde|worden|gebaut|installiert|befindet|findet statt"
        "|macht|geht|kommt|sind|sei|fasst|beläuft|zählt|beschäftigt|arbeiten|stunden|einsatz|überhaupt|fest"
    ),
    "es": (
        "tiene|tienen|usa|utiliza|cuesta|dura|empieza|comienza|necesita|requiere|contiene|consta|hay|exactamente"
        "|aproximadamente|unos|unas|cada|por|total|en total|siempre|completamente|definitivamente|versión|corre"
        "|funciona|sigue|queda|está|están|son|fue|ha sido|han sido|sido|hace|lleva|cuenta|vale|emplea|abre|trabaja"
        "|trabajan|se encuentra"
    ),
    "fr": (
        "a|ont|utilise|coûte|dure|commence|nécessite|contient|compte|il y a|exactement|environ|chaque|par|total"
        "|au total|toujours|complètement|définitivement|version|fonctionne|reste|est|sont|été|fait|emploie|ouvre"
        "|tourne|se trouve|pèse"
    ),
    "it": (
        "ha|hanno|usa|utilizza|costa|dura|inizia|richiede|contiene|conta|c'è|ci sono|esattamente|circa|ogni|per|totale"
        "|in totale|sempre|completamente|definitivamente|versione|funziona|resta|rimane|è|sono|stato|stata|fa|impiega"
        "|apre|gira|si trova"
    ),
    "pt": (
        "tem|têm|usa|utiliza|custa|dura|começa|precisa|requer|contém|há|exatamente|cerca|cada|por|total|no total"
        "|sempre|completamente|definitivamente|versão|funciona|fica|está|são|foi|sido|faz|emprega|abre|roda|conta"
    ),
    "nl": (
        "heeft|hebben|gebruikt|kost|duurt|begint|vereist|bevat|telt|er zijn|precies|ongeveer|circa|elke|per|totaal"
        "|in totaal|altijd|volledig|definitief|versie|draait|blijft|staat|ligt|wordt|is|zijn|geweest|maakt|werkt|opent"
    ),
    "zh": (
        "有|使用|用|采用|需要|需|花费|价格|共|一共|总共|约|大约|左右|每|共有|拥有|版本|为|是|在|运行|基于|可|可以|能"
        "|会|被|了|的|和|与|对|从|到|把|将|至|最多|最少|至少|可容纳|这个|该|之|于|着|都|就|很|上|中|里|内|个|地|得|过"
        "|请|由"
    ),
    "ja": (
        "使用|利用|約|およそ|全部で|合計|毎|版|バージョン|ある|いる|する|なる|こと|もの|最大|以上|以内|この|その|計"
        "|必要"
    ),
    "ko": "사용|이용|약|총|합계|매|버전|있|하|되|이다|입니다|합니다|최대|이상",
}
