"""Families of pairs of claims, in two languages or more: which are in conflict, which are none, which say the same."""

#: Pairs in conflict, by family: never a restatement, always a candidate.
CONFLICTS = {
    "place": [
        ("Ana lives in Lisbon", "Ana lives in Porto"),
        ("Ana vive en Lisboa", "Ana vive en Oporto"),
        ("安娜住在里斯本", "安娜住在波尔图"),
        ("アナはリスボンに住んでいます", "アナはポルトに住んでいます"),
    ],
    "roles": [
        ("A manages B", "B manages A"),
        ("Ana dirige a Benito", "Benito dirige a Ana"),
        ("安娜管理本杰明", "本杰明管理安娜"),
        ("アナはベンを管理する", "ベンはアナを管理する"),
    ],
    "count": [
        ("242 tests pass", "286 tests pass"),
        ("242 pruebas pasan", "286 pruebas pasan"),
        ("242个测试通过了", "286个测试通过了"),
    ],
    "negation": [
        ("The service uses Redis", "The service does not use Redis"),
        ("El servicio usa Redis", "El servicio no usa Redis"),
        ("这个服务使用 Redis", "这个服务不使用 Redis"),
        ("このサービスは Redis を使う", "このサービスは Redis を使わない"),
    ],
    "move": [
        ("The team moved from Porto to Lisbon", "The team moved from Lisbon to Porto"),
        ("El equipo se mudó de Oporto a Lisboa", "El equipo se mudó de Lisboa a Oporto"),
        ("团队从波尔图搬到里斯本", "团队从里斯本搬到波尔图"),
    ],
    "left": [
        ("Ana lives in Lisbon", "Ana moved from Lisbon to Porto"),
        ("The team uses Slack", "The team switched from Slack to Zulip"),
        ("Ana vive en Lisboa", "Ana se mudó de Lisboa a Oporto"),
    ],
    "preference": [
        ("Ana prefers tea to coffee", "Ana prefers coffee to tea"),
        ("Ana prefiere el té al café", "Ana prefiere el café al té"),
    ],
    "version": [
        ("The service runs Python 3.11", "The service runs Python 3.12"),
        ("The service runs Postgres 16.1", "The service runs Postgres 16.12"),
        ("El servicio usa la versión 1.4.2", "El servicio usa la versión 1.4.3"),
        ("服务运行的版本是 1.4.2", "服务运行的版本是 1.4.3"),
    ],
    "date": [
        ("The release is on 2026-03-01", "The release is on 2026-04-01"),
        ("The release is on 3 May 2026", "The release is on 4 May 2026"),
        ("El lanzamiento es el 3 de mayo", "El lanzamiento es el 4 de mayo"),
        ("发布日期是2026年5月3日", "发布日期是2026年5月4日"),
    ],
    "unit": [
        ("The request takes 5 ms", "The request takes 5 s"),
        ("La petición tarda 5 ms", "La petición tarda 5 s"),
    ],
    "always": [
        ("The cache is always warm", "The cache is never warm"),
        ("La caché siempre está caliente", "La caché nunca está caliente"),
        ("缓存总是热的", "缓存从不热的"),
    ],
    "all": [
        ("All builds are signed", "Some builds are signed"),
        ("Todos los paquetes están firmados", "Algunos paquetes están firmados"),
        ("所有包都已签名", "有些包都已签名"),
    ],
    "before": [
        ("The backup runs before midnight", "The backup runs after midnight"),
        ("La copia se hace antes de medianoche", "La copia se hace después de medianoche"),
        ("备份在午夜之前运行", "备份在午夜之后运行"),
    ],
    "antonym": [
        ("Two-factor login is enabled", "Two-factor login is disabled"),
        ("El acceso doble está activado", "El acceso doble está desactivado"),
        ("双重登录已启用", "双重登录已禁用"),
    ],
    "no longer": [
        ("Ana works at Acme", "Ana no longer works at Acme"),
        ("Ana trabaja en Acme", "Ana ya no trabaja en Acme"),
        ("安娜在公司工作", "安娜不再在公司工作"),
    ],
    "used to": [
        ("Ana works at Acme", "Ana used to work at Acme"),
        ("Ana vive en Oporto", "Ana solía vivir en Oporto"),
        ("安娜住在里斯本", "安娜以前住在里斯本"),
    ],
    "instead of": [
        ("The team uses Jira", "The team uses Linear instead of Jira"),
        ("El equipo usa Jira", "El equipo usa Linear en vez de Jira"),
        ("团队使用 Jira", "团队使用 Linear 而不是 Jira"),
    ],
    "names swapped": [
        ("Ana reports to Ben", "Ben reports to Ana"),
        ("Ana informa a Benito", "Benito informa a Ana"),
        ("Mara was born in Rome and taught in Paris", "Mara was born in Paris and taught in Rome"),
    ],
    "one of several": [
        ("Ana and Ben founded the club", "Ana and Eva founded the club"),
        ("Ana y Benito dirigen el club", "Ana y Eva dirigen el club"),
        ("Ana and Ben wrote a play about rivers", "Ana wrote a play about rivers with Theo"),
    ],
    "amount": [
        ("The plan costs $20 a month", "The plan costs $25 a month"),
        ("El plan cuesta 20 € al mes", "El plan cuesta 25 € al mes"),
        ("Ana has two brothers", "Ana has three brothers"),
        ("Ana tiene dos hermanos", "Ana tiene tres hermanos"),
    ],
    "weekday": [
        ("The review is on Monday", "The review is on Thursday"),
        ("La revisión es el lunes", "La revisión es el jueves"),
        ("会议在星期一", "会议在星期四"),
    ],
    "prefix": [
        ("The vault is sealed at night", "The vault is unsealed at night"),
        ("The parcel is wrapped", "The parcel is unwrapped"),
        ("La bóveda está sellada de noche", "La bóveda está desellada de noche"),
        ("El disco está cifrado", "El disco está descifrado"),
    ],
    "without": [
        ("The app starts with a password", "The app starts without a password"),
        ("La aplicación arranca con contraseña", "La aplicación arranca sin contraseña"),
    ],
}

#: Pairs of siblings: neither a restatement nor a candidate.
SIBLINGS = {
    "phases": [
        ("Phase 1 sets up the database", "Phase 2 sets up the cache"),
        ("Phase 1 is done", "Phase 2 is done"),
        ("Fase 1: preparar la base de datos", "Fase 2: preparar la caché"),
        ("第1阶段准备数据库", "第2阶段准备缓存"),
    ],
    "files": [
        ("auth.py holds the login views", "users.py holds the login views"),
        ("src/core/a.py is the entry point", "src/core/b.py is the entry point"),
        ("auth.py contiene las vistas", "users.py contiene las vistas"),
    ],
    "list items": [
        ("1. Install the packages", "2. Configure the packages"),
        ("1. Instalar los paquetes", "2. Configurar los paquetes"),
        ("Step 1: open the valve", "Step 2: close the valve"),
        ("Paso 1: abrir la llave", "Paso 2: cerrar la llave"),
    ],
    "entities": [
        ("The capital of Malta is Valletta", "The capital of Poland is Warsaw"),
        ("La capital de Malta es La Valeta", "La capital de Polonia es Varsovia"),
        ("Ana lives in Porto", "Ben lives in Lisbon"),
        ("Ana Ruiz owns a cat", "Ben Soto owns a cat"),
        ("The upper floor has 12 rooms", "The lower floor has 9 rooms"),
        ("La primera planta tiene 12 salas", "La última planta tiene 9 salas"),
        ("The editor of the blue paper is Ana Ruiz", "The editor of the red paper is Ben Soto"),
    ],
    "attributes": [
        ("python 3.9 was released on 2020-10-05", "python 3.9 reaches its end on 2025-10-31"),
        ("La versión 3.9 salió el 5 de octubre", "La versión 3.9 termina el 31 de octubre"),
    ],
    "errands": [
        ("Set the retry limit on the uploader.", "Do not forget to set the retry limit on the uploader."),
        ("Configura el límite de reintentos.", "No olvides configurar el límite de reintentos."),
    ],
    "more is said": [
        ("Ana lives in Porto", "Ana lives in Porto with two cats"),
        ("Ana vive en Oporto", "Ana vive en Oporto con dos gatos"),
    ],
    "rounded": [
        ("The mean age in town is 42.75 years", "The mean age in town is 42.8 years"),
        ("El censo cuenta 77.526 millones", "El censo cuenta 77.5 millones"),
    ],
    "events": [
        ("Added tests for the parser", "Added tests for the printer"),
        ("A man is riding a horse", "A man is riding a bike"),
    ],
}

#: Pairs that say the same.
RESTATEMENTS = {
    "signs": [
        ("Ana lives in Porto.", "ana lives in PORTO"),
        ("Ana vive en Oporto.", "¡Ana vive en Oporto!"),
        ("安娜住在里斯本。", "安娜住在里斯本"),
        ("アナはリスボンに住んでいます。", "アナは、リスボンに住んでいます"),
    ],
    "articles": [
        ("The backup runs at the night", "Backup runs at night"),
        ("La copia corre en la noche", "Copia corre en noche"),
    ],
    "order": [
        ("Ana lives in Porto", "In Porto, Ana lives"),
        ("Ana likes tea and coffee", "Ana likes coffee and tea"),
        ("Ana teaches maths at the school", "At the school, Ana teaches maths"),
        ("Ana vive en Oporto", "En Oporto vive Ana"),
        ("A Ana le gustan el té y el café", "A Ana le gustan el café y el té"),
    ],
    "numbers": [
        ("The nightly job takes five hours on that machine", "The nightly job takes 5 hours on that machine"),
        ("The release is on 3 May 2026", "The release is on May 3, 2026"),
        ("Ana tiene dos hermanos", "Ana tiene 2 hermanos"),
    ],
    "synonyms": [
        ("The bike that Ana rides has a red colour", "The bike that Ana rides has a red color"),
        ("El servicio utiliza Redis", "El servicio usa Redis"),
        ("The service that we run doesn't use Redis at all", "The service that we run does not use Redis at all"),
    ],
}
