"""Honest texts: two sentences in each of many languages, and in each of them many a name, unit or sign.

Written for these tests, for the sake of their letters.
"""

# ruff: noqa: RUF001

SENTENCES = {
    "English": ("The naïve café owner’s résumé mentions {}.", "Anna said: “{} — that’s all we need”."),
    "German": ("Müllers Straßenplan nennt {} als Übergang.", "Größere Änderungen an {} prüft Jörg am Dienstag."),
    "French": ("L’hôtel préfère {} : c’est écrit à l’entrée.", "Où est {} ? Le garçon l’a reçu à Noël."),
    "Spanish": ("¿Quién pidió {} mañana?", "El niño guardó {} en el cajón, ¡ojalá!"),
    "Portuguese": ("A reunião sobre {} começa às três.", "Não há razão para trocar {} amanhã."),
    "Italian": ("Perché {} è già lì?", "La città userà {} più avanti."),
    "Catalan": ("El col·lega ha triat {} per a l’abril.", "Això és {}, i prou."),
    "Swedish": ("Åsa föredrar {} på måndagar.", "Vi behöver {} för att öppna låset."),
    "Icelandic": ("Þórður á {} og geymir það í bílnum.", "Er {} ekki ætlað öllum?"),
    "Polish": ("Zażółć gęślą jaźń, a potem {}.", "Łukasz wysłał {} wczoraj późnym wieczorem."),
    "Czech": ("Příliš žluťoučký kůň viděl {}.", "Schůzka o {} začne ve čtvrtek."),
    "Hungarian": ("A főnök {} mellett döntött ősszel.", "Hol van {}? A hűtő mögött."),
    "Turkish": ("Işık kısılınca {} kırmızı yanıyor.", "İsmail ılık suyu {} ile ölçtü."),
    "Azerbaijani": ("Görüş {} üçün saat onda başlayır.", "Əlinin qeydində {} yazılıb."),
    "Vietnamese": ("Cuộc họp về {} bắt đầu lúc chín giờ.", "Nguyễn Thị Hồng thích {} hơn."),
    "Indonesian": ("Rapat tentang {} dimulai pukul tujuh.", "Kunci {} ada di laci."),
    "Hausa": ("Ƙungiyar ta zaɓi {} a watan jiya.", "Ɗakin yana da {} ɗaya."),
    "Ewe": ("Ɖevi la kpɔ {} le xɔa me.", "Ŋutsu sia ɖo {} ɖe afima."),
    "Russian": ("Мы используем {} с июня.", "А у нас в офисе {} хранит Сара."),
    "Ukrainian": ("Зустріч щодо {} почнеться о п’ятій.", "Їжак приніс {} і ґудзик."),
    "Belarusian": ("Сустрэча пра {} пачнецца ўвечары.", "Ці ёсць {} у шафе?"),
    "Bulgarian": ("Срещата за {} започва в осем.", "Ключът от {} е у Ася."),
    "Serbian": ("Састанак о {} почиње у шест, а Јово касни.", "Љубица чува {} код куће."),
    "Macedonian": ("Состанокот за {} почнува во шест.", "Ѓорѓи го чува {} кај нас, под ѕидот."),
    "Kazakh": ("Жиналыс {} туралы сағат тоғызда басталады.", "Әсел {} үлгісін қолданады."),
    "Mongolian": ("Уулзалт {} тухай өглөө эхэлнэ.", "Түлхүүр {} дотор байна."),
    "Greek": ("Η συνάντηση για {} αρχίζει στις οκτώ.", "Το κλειδί και {} είναι στο ΟΤΕ."),
    "Armenian": ("Հանդիպումը {} մասին սկսվում է ութին։", "Բանալին {} մեջ է։"),
    "Georgian": ("შეხვედრა {} შესახებ ცხრაზე იწყება.", "გასაღები {} უჯრაშია."),
    "Hebrew": ("הפגישה על {} מתחילה בשמונה.", "המפתח של {}\u200e נמצא אצל דנה (קומה 2)."),
    "Yiddish": ("די זיצונג וועגן {} הייבט זיך אָן אום אַכט.", "דער שליסל פֿון {} ליגט דאָ."),
    "Arabic": ("يبدأ الاجتماع حول {} في الثامنة.", "المفتاح مع سارة، و{} في الدُّرْج\u200f."),
    "Persian": ("جلسه دربارهٔ {} ساعت هشت شروع می\u200cشود.", "کتاب\u200cهای {} را نمی\u200cخواهم."),
    "Urdu": ("{} کے بارے میں اجلاس آٹھ بجے ہے۔", "چابی {} میں رکھی ہے۔"),
    "Hindi": ("{} की बैठक आठ बजे शुरू होती है।", "क्\u200dष और {} अलमारी में हैं।"),
    "Marathi": ("{} बद्दलची बैठक आठ वाजता आहे.", "दर\u200d्या आणि {} कपाटात आहेत."),
    "Bengali": ("{} নিয়ে সভা আটটায় শুরু হবে।", "চাবি {} এর ভেতরে, র\u200d্যাকে।"),
    "Tamil": ("{} பற்றிய கூட்டம் எட்டு மணிக்கு.", "சாவி {} உள்ளே இருக்கிறது."),
    "Telugu": ("{} గురించి సమావేశం ఎనిమిదికి.", "తాళం {} లోపల ఉంది."),
    "Malayalam": ("{} സംബന്ധിച്ച യോഗം എട്ടിന്\u200c.", "അവന്\u200d {} കൊണ്ടുവന്നു."),
    "Sinhala": ("{} ගැන රැස්වීම අටට පටන් ගනී.", "ශ්\u200dරී ලංකාවේ {} ඇත."),
    "Thai": ("ประชุมเรื่อง {} เริ่มแปดโมง", "กุญแจ{}อยู่ในลิ้นชัก"),
    "Lao": ("ປະຊຸມກ່ຽວກັບ {} ເລີ່ມແປດໂມງ", "ກະແຈ{}ຢູ່ໃນລິ້ນຊັກ"),
    "Khmer": ("ការប្រជុំ\u200bអំពី {} ចាប់ផ្ដើម\u200bម៉ោង\u200bប្រាំបី។", "កូនសោ {} នៅ\u200bក្នុង\u200bថត។"),
    "Burmese": ("{} အစည်းအဝေး ရှစ်နာရီမှာ စမယ်။", "သော့က {} ထဲမှာ ရှိတယ်။"),
    "Tibetan": ("{} སྐོར་གྱི་ཚོགས་འདུ་ཆུ་ཚོད་བརྒྱད་པར་འགོ་འཛུགས།", "ལྡེ་མིག་ {} ནང་ཡོད།"),
    "Amharic": ("የ{} ስብሰባ በስምንት ሰዓት ይጀምራል።", "ቁልፉ {} ውስጥ ነው።"),
    "Japanese": ("{}の会議は八時に始まる。", "ＡＰＩとＤＢの鍵は{}にある、葛\U000e0100城市で。"),
    "Chinese": ("关于{}的会议八点开始。", "钥匙在{}里，第Ⅲ章有说明。"),
    "Korean": ("{} 회의는 여덟 시에 시작합니다.", "열쇠는 {}에 있고 API를 씁니다."),
    "phonetics": ("/ˈθæŋk {} ɡəʊ/ is heard as [tʰæŋk ɡɹiːn].", "{}: [ɑ̃ ɔ̃ ɛ̃], /ɪt ɪz ʃʊɡə/."),
    "formulas": ("Δt = 3 µs at {}, E = hν, α ≈ β/γ, R = 4.7 kΩ.", "λmax of {} is 280 nm; TNFα, NFκB, σ², 2πr, 𝑓(𝑥)."),
}

THINGS = (
    "GitHub", "PostgreSQL 16", "C++", "e\u2011mail", "A4", "Wi-Fi", "v2.1", "5 kΩ", "20 µm", "20 μmol", "25 °C", "Ω",
    "Δt", "β-test", "TNFα", "x²", "H₂O", "CO₂", "10⁻³ m", "19ᵗʰ", "nº 5", "№ 7", "1ª", "½", "500 mℓ", "Acme™", "© 2026",
    "Ⅷ", "①", "𝑥", "👩🏽\u200d🚀", "👨\u200d👩\u200d👧", "🇩🇪", "❤\ufe0f", "1\ufe0f⃣",
    "🏳\ufe0f\u200d🌈", "Zürich", "Dvořák", "Łódź", "São Paulo", "Nguyễn Văn Ất", "İstanbul",
    "o\u0302\u0301 ng", "L’Aquila", "Ægir",
    "東京", "서울", "Москва", "Αθήνα", "القاهرة", "ירושלים",
    "दिल्ली", "กรุงเทพฯ", "(12:30)", "3 → 4", "“so”", "…", "foo_bar",
)  # fmt: skip


def honest() -> dict[str, list[str]]:
    """The texts, by language."""
    return {name: [each.format(thing) for each in both for thing in THINGS] for name, both in SENTENCES.items()}
