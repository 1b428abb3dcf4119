"""English words by what they do."""

from trustmem.core.lexicon import Lexicon, both_ways, grouped, numbered, phrases, replaced, words

_AUXILIARIES = words(
    """
    am is are was were be been being has have had do does did will would can could may might must shall should
    """
)
_PREPOSITIONS = words(
    """
    of in on at to from by with for about into onto over under between among through during against as than via per
    within towards toward upon across behind near after before until till since around along inside outside
    """
)
_FIRST = words("i me my mine myself we us our ours")

ENGLISH = Lexicon(
    code="en",
    marks=words(
        """
        the a an is are was were of and to in on for with that this it its be been has have had not by from at as or
        he she they his her their i my you your we our will would can does did do only never into than which who
        """
    ),
    stop=_AUXILIARIES
    | _PREPOSITIONS
    | _FIRST
    | words(
        """
        a an the and or but any such other if then so that this these those it its he she they them him her his hers
        their theirs you your yours which who whom whose what when where while how why there here also too both
        either once ve ll re d s t up down out off mostly dr mr mrs ms prof
        """
    ),
    filler=words(
        """
        a an the that really also too s itself indeed actually simply successfully basically please
        """
    ),
    auxiliaries=_AUXILIARIES,
    verbs=words(
        """
        accept allow appear apply ask attend base become begin believe belong block build buy call cause claim
        close collaborate come complete consist contain contribute control cost cover create cut deal decide
        depend deploy design develop die direct discover dislike drink drive earn eat enable encounter end enjoy
        enter exist expect expire explain expose feature fight fill find finish fix follow found gave get give
        go graduate grow hate have help hire hold hope host implement include increase indicate inspire
        interview introduce invent invite join keep know last lead learn leave like listen live log look lose
        love maintain make manage map mark marry mean meet mention monitor move name need offer open operate
        organize own paint pass pay perform persist play point prefer present prevent produce promote prove
        provide publish raise ran reach read receive record refer reflect register reject release remain
        remember replace report represent require reside rest result return run save say seem sell send serve
        set share show sing sit sleep speak specialize speed spend sponsor stand star start state stay stop
        store study suggest support take talk tell tend think throw track train transmit travel treat try turn
        use validate visit volunteer wait walk want watch wear win wish work write wrote spoke participate
        photograph summit happen prey connect cohost coauthor cofound cohosted author lie limit link list load
        manufacture measure migrate negotiate note observe obtain occur pick place plan post practice predict
        process program push put rank rate recommend refuse relate rely remind rent request respond retain
        retire retry reuse ride rule scale schedule score search select separate settle ship shoot sign skip
        solve sound source stream succeed sum sync trade translate trigger trust tune understand update upgrade
        vary view vote warn wash weigh yield compete conduct convert cycle decline defend defeat deliver demand
        describe destroy detect dance differ disable employ evolve examine exceed exclude execute exhibit export
        express extend feed feel film finance flow fly fund generate govern guide handle identify ignore import
        improve influence inform inherit inject insert insist install integrate invest involve issue land launch
        lift protect qualify react recover reduce refresh regulate render repair resemble resolve restart
        restrict rotate sail sample sanction satisfy scan seek sink smoke spread survive suspend switch
        synchronize target terminate tolerate tour transfer transport unlock built made took left won led sold
        held met said got went began became came knew kept thought sent paid born educate teach taught drove ate
        fought grew hired lost meant sang sat saw slept spent stood told threw wore
        """
    ),
    prepositions=_PREPOSITIONS,
    orders=words(
        """
        add implement verify create fix update remove write test refactor migrate configure document review define
        check build integrate support set make ensure deploy install investigate finish complete design extract move
        rename replace delete improve optimize resolve validate enable disable prepare publish release run schedule
        upgrade convert introduce call send buy order book pay plan
        """
    ),
    indefinite=words(
        """
        a an some somebody someone something people another one two three four five many several few
        """
    ),
    first_person=_FIRST,
    joins=words("and or nor"),
    several=words(
        """
        uses use using depends has have contains includes knows likes enjoys speaks owns member part related relates
        mentions supports requires tags tagged implements imports calls follows works visited created wrote provides
        observed
        """
    ),
    mutual=words(
        """
        meet met marri marry collaborat differ friend sibling cousin neighbour neighbor partner equal together
        married
        """
    ),
    negations=words(
        """
        not never no none nobody nothing nowhere neither nor without cannot non hardly barely scarcely lack lacks
        lacked lacking fail fails failed failing refuse refuses refused deny denies denied unable
        """
    ),
    denying=phrases(
        """
        instead of, rather than, used to, formerly, previously, no longer, stopped, quit, ceased, gave up, opposed
        to, free of, free from, opposes, oppose, opposed, critic of, criticizes, dislikes, dislike, disliked, hates,
        hate, avoids, avoid, aversion to, rejects, reject, rejected
        """
    ),
    prefixes=("un", "in", "im", "dis", "non", "ir"),
    universal=words(
        """
        all every each always everyone everything everybody everywhere entirely fully both throughout
        """
    ),
    partial=words(
        """
        some several many few sometimes often usually occasionally partly partially most rarely seldom somewhat
        """
    ),
    exclusive=words(
        """
        only exclusively solely instead rather except different separate separately
        """
    ),
    changes=phrases(
        """
        no longer, used to, not any more, anymore, instead of, moved, move to, switched, switch to, replaced,
        replaces, changed, changed to, migrated, became, becomes, has become, now, currently, recently, newly,
        renamed, upgraded, downgraded, updated, increased, decreased, reduced, raised, lowered, extended, shortened,
        postponed, rescheduled, adjusted, revised, improved, dropped, stopped, quit, former, formerly, previously,
        prior, until recently, since then, deprecated, retired, superseded, expanded, grown, grew, rose, reached,
        fell, cut to, shifted, transitioned, swapped, converted, sold, cancelled, canceled, resigned
        """
    ),
    origins=words("from"),
    forgiven=phrases(
        """
        not only, not just, do not forget, don t forget, never forget, not forget, no doubt, no matter, nothing but,
        not least, do not hesitate, no wonder, without doubt, without fail, not to mention, no problem, none other,
        why not
        """
    ),
    done=words(
        """
        completed done finished implemented verified resolved fixed merged shipped released deployed added created
        closed migrated passed tested configured defined documented removed wrote written built delivered
        """
    ),
    due=phrases(
        """
        todo, to do, pending, needs to, need to, to be, planned, must be, should be, remaining, not yet, next step
        """
    ),
    labels=words(
        """
        phase step stage task subtask issue pr ticket chapter section part level milestone sprint week day page item
        option rule appendix case figure table line lines point question example lesson module unit episode season
        volume round block group type layer tier slot port row column node worker shard epic story bug request
        commit build job run exercise problem scenario iteration batch test goal room gate track line
        release
        """
    ),
    numbers=numbered(
        """
        zero, one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen, fourteen, fifteen,
        sixteen, seventeen, eighteen, nineteen
        """
    )
    | {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
    | {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "dozen": 12, "twice": 2}
    | numbered("first, second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth", 1),
    months=numbered(
        """
        january jan, february feb, march mar, april apr, may, june jun, july jul, august aug, september sep sept,
        october oct, november nov, december dec
        """,
        1,
    ),
    same=replaced(
        """
        colour=color favourite=favorite behaviour=behavior organise=organize organised=organized centre=center
        licence=license grey=gray kid=child kids=children movie=film movies=films photo=photograph
        photos=photographs begin=start begins=starts began=started purchase=buy purchases=buys bike=bicycle
        phone=telephone tv=television usa=us autumn=fall doc=documentation docs=documentation config=configuration
        repo=repository app=application apps=applications db=database dir=directory cant=cannot ok=okay mom=mother
        dad=father
        """
    ),
    opposites=both_ways(
        """
        enabled/disabled enable/disable enables/disables on/off open/closed opens/closes open/close opened/closed
        true/false yes/no up/down in/out before/after above/below over/under more/less most/least more/fewer
        increase/decrease/reduce increases/decreases/reduces increased/decreased/reduced
        increasing/decreasing/reducing rise/fall rises/falls rising/falling rose/fell raise/lower raised/lowered
        high/low higher/lower highest/lowest large/small larger/smaller largest/smallest big/small bigger/smaller
        biggest/smallest long/short longer/shorter longest/shortest old/new old/young older/younger oldest/youngest
        older/newer fast/slow faster/slower early/late earlier/later earliest/latest first/last start/end
        starts/ends started/ended begin/end begins/ends strong/weak strongly/weakly hot/cold warm/cold warm/cool
        light/dark light/heavy hard/soft hard/easy difficult/easy simple/complex good/bad better/worse best/worst
        right/wrong left/right correct/incorrect success/failure succeed/fail succeeds/fails succeeded/failed
        passes/fails passed/failed pass/fail passing/failing win/lose wins/loses won/lost winner/loser allow/forbid
        allows/forbids allowed/forbidden allow/deny allows/denies allowed/denied allow/block allowed/blocked
        permitted/prohibited permitted/forbidden accept/reject accepts/rejects accepted/rejected accepted/refused
        like/dislike/hate likes/dislikes/hates love/hate loves/hates enjoys/dislikes enjoys/hates prefers/avoids
        public/private internal/external local/remote remotely/onsite online/offline manual/automatic
        manually/automatically synchronous/asynchronous optional/required optional/mandatory mutable/immutable
        static/dynamic permanent/temporary stable/unstable present/absent alive/dead live/dead born/died male/female
        man/woman men/women boy/girl boys/girls husband/wife son/daughter brother/sister mother/father north/south
        east/west northern/southern eastern/western top/bottom front/back upper/lower inner/outer import/export
        imports/exports imported/exported include/exclude includes/excludes included/excluded including/excluding
        add/remove adds/removes added/removed install/uninstall installed/uninstalled create/delete created/deleted
        upgrade/downgrade upgraded/downgraded encrypted/decrypted encrypted/plaintext lock/unlock locked/unlocked
        sealed/unsealed full/empty wet/dry rich/poor cheap/expensive expensive/inexpensive safe/dangerous
        safe/unsafe legal/illegal possible/impossible visible/hidden visible/invisible active/inactive busy/idle
        married/single/divorced married/unmarried single/divorced always/never everyone/nobody everything/nothing
        all/none always/sometimes all/some everyone/someone every/some never/sometimes never/often often/rarely
        usually/rarely usually/never many/few with/without maximum/minimum max/min ascending/descending day/night
        morning/evening morning/afternoon afternoon/evening am/pm today/yesterday/tomorrow
        daily/weekly/monthly/yearly/hourly vegetarian/carnivore ally/enemy friend/enemy major/minor
        majority/minority buy/sell buys/sells bought/sold lend/borrow lends/borrows teacher/student
        employed/unemployed hired/fired joined/left enter/leave arrived/departed arrives/departs innocent/guilty
        positive/negative same/different together/separately together/alone indoor/outdoor indoors/outdoors
        amateur/professional fiction/nonfiction cloud/premises read/write reads/writes either/neither both/neither
        profit/loss ancient/modern urban/rural domestic/foreign approved/rejected approves/rejects confirmed/denied
        remember/forget remembers/forgets likely/unlikely able/unable
        """
    ),
    groups=grouped(
        {
            "weekday": """
            monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays
            fridays saturdays sundays
            """,
            "month": """
            january february march april may june july august september october november december
            """,
            "season": " summer autumn fall winter",
            "colour": "red blue green yellow orange purple pink brown black white gray violet golden silver",
            "nation": """
            american british english scottish welsh irish french german italian spanish portuguese dutch
            belgian swiss austrian swedish norwegian danish finnish icelandic polish czech slovak hungarian
            romanian bulgarian greek turkish russian ukrainian canadian mexican brazilian argentine
            argentinian chilean colombian peruvian cuban jamaican indian pakistani chinese japanese korean
            thai vietnamese indonesian filipino malaysian australian israeli iranian iraqi egyptian moroccan
            nigerian kenyan ethiopian african european asian saudi
            """,
            "medium": "film album series novel song musical magazine newspaper podcast",
            "genre": "drama comedy horror thriller western romance documentary animation",
            "relation": """
            mother father brother sister son daughter uncle aunt cousin nephew niece wife husband grandmother
            grandfather
            """,
            "instrument": "guitar piano violin cello drums flute trumpet saxophone",
            "sport": "football soccer basketball tennis baseball hockey golf rugby cricket volleyball",
            "direction": "north south east west northern southern eastern western",
        }
    ),
)
