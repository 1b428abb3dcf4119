"""Chinese and Japanese words by what they do; whatever is no such word is taken sign by sign."""

from trustmem.core.lexicon import Lexicon, both_ways, grouped, numbered, phrases, replaced, words

HAN = Lexicon(
    code="han",
    marks=words("的 了 在 是 の は が を に です ます"),
    stop=words(
        """
        的 了 着 在 是 和 与 或 也 都 把 被 对 从 到 向 于 为 以 の は が を に へ と も で から
        まで より や です だ ます でした ました している しています ている ています する し て た
        """
    ),
    filler=words("です だ ます 也 就"),
    auxiliaries=words("是 在 有 は"),
    verbs=words("住 住在 用 使用 喜欢 管理 需要 支持 工作 说 会 要 领导 向 比 住んで 使って 働いて 好き 管理する"),
    prepositions=words("从 到 向 于 对 给 跟 比 から まで へ に より で と"),
    orders=words("添加 实现 检查 修复 更新 删除 设置"),
    indefinite=words("有人 某 一些 誰か"),
    first_person=words("我 我们 我的 私 僕 俺 私たち"),
    joins=words("和 与 或 や と"),
    several=words("使用 包含 喜欢 认识 属于 依赖"),
    mutual=words("结婚 朋友 结婚了 友達"),
    negations=words(
        """
        不 没 没有 沒 沒有 未 无 無 非 别 勿 莫 从不 从未 从来不 绝不 并不 不会 不是 不能 ない なく
        なかった ません ず ぬ ではない じゃない ではありません 決して ことはない なし
        """
    ),
    denying=phrases("而不是, 代替, 以前, 曾经, 不再, かつて, 以前は, 代わりに"),
    prefixes=("不", "未", "非", "无", "無"),
    universal=words("所有 全部 总是 始终 每 一直 全て すべて 常に いつも 毎"),
    partial=words("一些 有些 有时 部分 大多 多数 很少 偶尔 一部 時々 たまに"),
    exclusive=words("只 仅 唯一 而不是 不同 だけ のみ 代わりに しか"),
    changes=phrases(
        """
        不再, 以前, 之前, 曾经, 改为, 改成, 换成, 改用, 搬到, 搬去, 取代, 代替, 现在, 目前,
        最近, 升级, 更新为, 而不是, もう, 以前は, かつて, 代わりに, 変更, 引っ越し, 引っ越した,
        切り替え, 現在, 今は, 移行, 置き換え
        """
    ),
    origins=words("从 由 から"),
    forgiven=phrases("不仅, 不只, 不但, 别忘了, 不要忘记, 别忘, だけでなく, 忘れないで"),
    done=words("已完成 完成 已实现 已修复 完了 済み"),
    due=phrases("待办, 待, 未完成, 需要完成, 予定, 未対応"),
    labels=words("阶段 步骤 任务 章 节 第 部分 段階 ステップ フェーズ タスク"),
    numbers=numbered("零, 一, 二, 三, 四, 五, 六, 七, 八, 九, 十") | {"两": 2, "百": 100, "千": 1000, "万": 10**4},
    months={},
    same=replaced("沒=没 沒有=没有 無=无"),
    opposites=both_ways(
        """
        启用/禁用 开启/关闭 打开/关闭 开/关 总是/从不 所有/一些 所有/有些 全部/部分 之前/之后 以前/以后
        前/后 允许/禁止 增加/减少 大/小 高/低 快/慢 早/晚 多/少 上/下 有/没有 有效/無効 有效/无效
        常に/決して すべて/一部 全て/一部 開く/閉じる 許可/禁止 公开/私有 内部/外部 成功/失败 成功/失敗
        手动/自动 手動/自動 必須/任意 必需/可选 始终/从不
        """
    ),
    groups=grouped(
        {
            "weekday": """
            星期一 星期二 星期三 星期四 星期五 星期六 星期日 星期天 周一 周二 周三 周四 周五
            周六 周日 月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日
            """,
            "colour": "红色 蓝色 绿色 黄色 黑色 白色 赤 青 緑 黒 白",
        }
    ),
)
