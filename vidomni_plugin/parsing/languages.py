"""Words of both tasks in the languages that models slip into."""

from __future__ import annotations

__all__ = [
    "ANSWER_WORDS",
    "FAITHFUL",
    "HALLUCINATED",
    "NUMBER_WORDS",
    "SENTENCE_WORDS",
    "VERDICT_WORDS",
]

NUMBER_WORDS: dict[str, int] = {
    word: number
    for words in (
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen twenty",
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
        "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth",
        "1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th 11th 12th 13th 14th 15th 16th 17th 18th 19th 20th",
        "一 二 三 四 五 六 七 八 九 十 十一 十二 十三 十四 十五 十六 十七 十八 十九 二十",
        "uno dos tres cuatro cinco seis siete ocho nueve diez",
        "primera segunda tercera cuarta quinta sexta séptima octava novena décima",
        "primeira segunda terceira quarta quinta sexta sétima oitava nona décima",
        "première deuxième troisième quatrième cinquième sixième septième huitième neuvième dixième",
        "eins zwei drei vier fünf sechs sieben acht neun zehn",
        "erste zweite dritte vierte fünfte sechste siebte achte neunte zehnte",
        "erster zweiter dritter vierter fünfter sechster siebter achter neunter zehnter",
        "первое второе третье четвёртое пятое шестое седьмое восьмое девятое десятое",
        "الأولى الثانية الثالثة الرابعة الخامسة السادسة السابعة الثامنة التاسعة العاشرة",
    )
    for number, word in enumerate(words.split(), start=1)
}
"""Cardinal and ordinal words; a word has the same number in every language that has it."""

SENTENCE_WORDS: tuple[str, ...] = tuple(
    "sentence statement claim sent line item 句子 語句 语句 文 문장 oración oracion oraciones предложения frase enunciado "
    "phrase satz sentença sentenca предложение الجملة جملة वाक्य câu kalimat cümle zin zdanie".split()
)
"""Names of a sentence in a key or at the start of a line."""

FAITHFUL: frozenset[str] = frozenset(
    "正确|準確|准确|忠实|忠實|正しい|正確|忠実|属实|真实|无误|符合|符合视频|符合视频内容|与视频一致|与视频相符|一致|"
    "无幻觉|無幻覺|没有幻觉|沒有幻覺|不存在幻觉|不包含幻觉|不含幻觉|未出现幻觉|没有错误|"
    "幻覚なし|幻覚はない|幻覚はありません|ハルシネーションなし|ハルシネーションはない|正しいです|正確です|忠実です|"
    "정확|정확함|정확합니다|정확하다|올바름|맞음|맞습니다|충실|충실함|사실|환각 없음|환각이 없음|환각이 없습니다|"
    "correcto|correcta|correctas|correctos|fieles|correctes|fidèles|верны|es correcto|es correcta|fiel|es fiel|exacto|exacta|preciso|precisa|"
    "sin alucinación|sin alucinaciones|no contiene alucinaciones|no contiene alucinación|"
    "no contiene ninguna alucinación|no hay alucinación|verdadera|"
    "correcte|est correct|est correcte|fidèle|est fidèle|exacte|exact|est exacte|sans hallucination|"
    "pas d'hallucination|aucune hallucination|ne contient pas d'hallucination|conforme|juste|"
    "korrekt|ist korrekt|richtig|ist richtig|zutreffend|ist zutreffend|wahrheitsgetreu|treu|"
    "keine halluzination|ohne halluzination|enthält keine halluzination|stimmt|"
    "correto|correta|está correto|está correta|é correta|é fiel|exato|exata|"
    "sem alucinação|sem alucinações|não contém alucinação|não contém alucinações|não há alucinação|"
    "corretto|corretta|fedele|accurato|accurata|nessuna allucinazione|"
    "верно|правильно|корректно|достоверно|соответствует|соответствует видео|точно|"
    "без галлюцинаций|нет галлюцинации|нет галлюцинаций|галлюцинации нет|галлюцинаций нет|"
    "не содержит галлюцинаций|не содержит галлюцинации|"
    "صحيح|صحيحة|دقيق|دقيقة|مطابق|مطابقة|صادقة|لا توجد هلوسة|لا يوجد هلوسة|بدون هلوسة|لا تحتوي على هلوسة|"
    "सही|सही है|सटीक|सटीक है|ठीक|कोई मतिभ्रम नहीं|मतिभ्रम नहीं|सत्य|"
    "đúng|là đúng|chính xác|trung thực|không có ảo giác|không ảo giác|không chứa ảo giác|"
    "benar|akurat|sesuai|doğru|juist|poprawne".split("|")
)
"""Whole verdicts that mean 0, in other languages than English."""

HALLUCINATED: frozenset[str] = frozenset(
    "错误|錯誤|不正确|不準確|不准确|不忠实|不忠實|不属实|有误|不实|不符|不符合|不符合视频|不符合视频内容|与视频不符|"
    "与视频不一致|不一致|幻觉|幻覺|有幻觉|有幻覺|存在幻觉|存在幻覺|包含幻觉|含有幻觉|出现幻觉|是幻觉|属于幻觉|"
    "誤り|間違い|不正確|誤りです|間違いです|不正確です|正しくない|正しくありません|正確ではない|正確ではありません|幻覚|幻覚あり|"
    "幻覚がある|幻覚があります|幻覚を含む|ハルシネーション|ハルシネーションあり|ハルシネーションがある|ハルシネーションを含む|"
    "부정확|부정확함|부정확합니다|틀림|틀렸음|틀렸습니다|오류|환각|환각 있음|환각이 있음|환각이 있습니다|정확하지 않음|"
    "정확하지 않습니다|맞지 않음|"
    "incorrecto|incorrecta|incorrectas|incorrectos|incorrectes|неверны|es incorrecto|es incorrecta|inexacto|inexacta|infiel|falsa|falso|"
    "alucinación|alucinacion|es una alucinación|contiene una alucinación|contiene alucinación|"
    "contiene alucinaciones|alucinada|alucinado|no es correcta|no es correcto|no es fiel|"
    "incorrecte|est incorrect|est incorrecte|inexacte|inexact|infidèle|faux|fausse|est fausse|erronée|"
    "contient une hallucination|contient des hallucinations|hallucinée|halluciné|n'est pas correcte|"
    "n'est pas fidèle|est une hallucination|pas correcte|"
    "inkorrekt|falsch|ist falsch|unzutreffend|halluzination|halluziniert|ist halluziniert|"
    "enthält eine halluzination|enthält halluzinationen|nicht korrekt|ist nicht korrekt|nicht richtig|"
    "ist nicht richtig|nicht zutreffend|stimmt nicht|"
    "incorreto|incorreta|está incorreto|está incorreta|inexato|inexata|alucinação|contém alucinação|"
    "contém uma alucinação|contém alucinações|não está correta|não é correta|não é fiel|errado|errada|"
    "scorretto|scorretta|sbagliato|errato|errata|allucinazione|"
    "неверно|неправильно|некорректно|недостоверно|не соответствует|не соответствует видео|галлюцинация|"
    "содержит галлюцинацию|содержит галлюцинации|есть галлюцинация|ошибка|неточно|"
    "خطأ|خاطئ|خاطئة|غير صحيح|غير صحيحة|غير دقيق|غير دقيقة|هلوسة|تحتوي على هلوسة|يوجد هلوسة|توجد هلوسة|غير مطابقة|"
    "गलत|गलत है|मतिभ्रम|मतिभ्रम है|असत्य|सही नहीं|सही नहीं है|सटीक नहीं|"
    "sai|là sai|không đúng|không chính xác|ảo giác|có ảo giác|chứa ảo giác|không trung thực|"
    "salah|tidak benar|halusinasi|yanlış|halüsinasyon|onjuist".split("|")
)
"""Whole verdicts that mean 1, in other languages than English."""

VERDICT_WORDS: dict[str, str] = {
    word: label
    for label, words in (
        (
            "ACCEPT",
            "接受|采纳|採納|采用|認可|认可|通过|不予拒绝并接受|受け入れる|受け入れます|受諾|承認|採用|承認する|受理|アクセプト|"
            "수락|승인|채택|수용|수락합니다|승인합니다|acepto|aceptar|aceptado|aceptada|acepta|aceptable|"
            "se acepta|accepté|acceptée|accepter|j'accepte|accepte|akzeptieren|akzeptiert|akzeptiere|"
            "ich akzeptiere|angenommen|annehmen|aceito|aceitar|aceita|aceite|accettato|accettata|"
            "accettare|accetto|принять|принято|принимаю|принимается|приемлемо|принят|принята|قبول|مقبول|"
            "مقبولة|أقبل|اقبل|स्वीकार|स्वीकृत|स्वीकार्य|स्वीकार करें|chấp nhận|được chấp nhận|terima|"
            "diterima|kabul|kabul et|accepteren|geaccepteerd|akceptuję|zaakceptowano",
        ),
        (
            "REJECT",
            "拒绝|拒絕|驳回|駁回|不接受|不予接受|不采纳|否决|拒否|却下|棄却|拒否する|拒絶|却下する|却下します|リジェクト|不採用|"
            "受け入れない|受け入れません|거부|거절|기각|거부합니다|거절합니다|수락하지 않음|rechazo|rechazar|rechazado|"
            "rechazada|rechaza|se rechaza|no acepto|no aceptar|no se acepta|inaceptable|rejeté|rejetée|"
            "rejeter|je rejette|rejette|refusé|refusée|refuser|je n'accepte pas|ablehnen|abgelehnt|"
            "lehne ab|ich lehne ab|zurückgewiesen|verworfen|nicht akzeptieren|nicht akzeptiert|"
            "zurückweisen|rejeitar|rejeito|rejeitado|rejeitada|rejeita|recusado|recusar|não aceito|"
            "não aceitar|rifiutato|rifiutata|rifiutare|rifiuto|respinto|отклонить|отклонено|отклоняю|"
            "отклоняется|отвергнуть|отвергнуто|не принимать|не принято|не принимаю|отказ|رفض|مرفوض|مرفوضة|"
            "أرفض|ارفض|غير مقبول|अस्वीकार|अस्वीकृत|अस्वीकार्य|खारिज|अस्वीकार करें|từ chối|bác bỏ|"
            "bị từ chối|không chấp nhận|tolak|ditolak|reddet|reddedildi|ret|weigeren|afgewezen|odrzucam",
        ),
    )
    for word in words.split("|")
}
"""Verdicts in answer position, in other languages than English."""

ANSWER_WORDS: tuple[str, ...] = tuple(
    "结论|結論|答案|最终答案|最終答案|判断|判斷|判定|标签|標籤|结果|結果|裁决|回答|答え|最終回答|最終判断|ラベル|결론|답|답변|정답|판정|"
    "최종 답변|레이블|라벨|결과|conclusión|conclusion|respuesta|respuesta final|veredicto|etiqueta|decisión|"
    "resultado|réponse|réponse finale|étiquette|décision|résultat|verdict final|fazit|antwort|urteil|"
    "ergebnis|entscheidung|endgültige antwort|conclusão|resposta|resposta final|veredito|decisão|rótulo|"
    "risposta|verdetto|conclusione|вывод|ответ|вердикт|решение|итог|метка|окончательный ответ|النتيجة|"
    "الإجابة|الجواب|الحكم|القرار|الخلاصة|निष्कर्ष|उत्तर|निर्णय|फैसला|kết luận|câu trả lời|trả lời|đáp án|"
    "phán quyết|nhãn|jawaban|kesimpulan|sonuç|cevap|karar".split("|")
)
"""Words that announce the answer."""
