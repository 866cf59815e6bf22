//! Words that say little in any project: those that sentences are made of, and those that all work is made of.

/// Whether a word says little, by how it is written or by its stem.
pub(crate) fn is_common(written: &str, stem: &str) -> bool {
    WORK.binary_search(&stem).is_ok() || is_of_sentences(written)
}

/// Whether a word only holds sentences together.
pub(crate) fn is_of_sentences(written: &str) -> bool {
    SENTENCES.binary_search(&written.to_lowercase().as_str()).is_ok()
}

/// Whether two characters of a CJK word say little.
pub(crate) fn is_common_pair(pair: &str) -> bool {
    PAIRS.binary_search(&pair).is_ok()
}

/// What sentences are made of, as it is written: cutting endings would make other words of them.
#[rustfmt::skip]
const SENTENCES: &[&str] = &[
    "a", "aber", "about", "above", "adesso", "after", "again", "against", "agora", "ahora", "all", "alle", "alles",
    "almost", "alors", "already", "also", "although", "always", "am", "an", "ancora", "and", "any", "anything",
    "are", "around", "as", "at", "auch", "auf", "aus", "aussi", "avec", "away", "back", "be", "because", "been",
    "before", "bei", "being", "below", "better", "between", "bitte", "both", "but", "by", "can", "cannot", "ces",
    "cette", "che", "com", "como", "con", "continua", "continuar", "continuer", "could", "dank", "danke", "dann",
    "dans", "das", "dat", "dem", "den", "der", "des", "deze", "did", "die", "do", "does", "doing", "don", "done",
    "dort", "down", "du", "during", "each", "een", "ein", "eine", "einem", "einen", "einer", "either", "else",
    "encore", "enough", "entonces", "esa", "ese", "est", "esta", "este", "esto", "etc", "even", "ever", "every",
    "everything", "faire", "fais", "fare", "favor", "fazer", "faça", "few", "first", "for", "from", "full",
    "further", "für", "ga", "get", "gets", "getting", "give", "given", "gli", "go", "goes", "going", "gone", "good",
    "got", "graag", "gracias", "grazie", "great", "hacer", "had", "has", "have", "having", "haz", "he", "hello",
    "help", "her", "here", "hers", "het", "hey", "hi", "hier", "him", "his", "how", "however", "i", "ich", "if",
    "ihr", "il", "in", "instead", "into", "is", "isso", "ist", "it", "its", "itself", "jetzt", "just", "kann",
    "kannst", "keep", "kind", "know", "las", "last", "least", "les", "less", "let", "like", "little", "lo", "long",
    "look", "looking", "looks", "los", "lot", "ma", "maar", "mach", "mache", "machen", "made", "maintenant", "mais",
    "make", "makes", "making", "mal", "many", "mas", "may", "maybe", "me", "merci", "mes", "met", "might", "mine",
    "mit", "molto", "mon", "more", "most", "much", "muito", "muss", "must", "muy", "my", "myself", "más", "müssen",
    "nach", "near", "need", "needed", "needs", "never", "next", "nice", "nicht", "niet", "no", "noch", "nog",
    "nope", "nor", "nos", "not", "nothing", "nous", "now", "nur", "nächsten", "obrigada", "obrigado", "oder", "of",
    "off", "ok", "okay", "on", "once", "one", "only", "onto", "ook", "or", "other", "others", "our", "ours", "out",
    "over", "own", "para", "part", "pas", "per", "perhaps", "pero", "più", "plaît", "please", "plus", "por",
    "possible", "pour", "put", "que", "questa", "questo", "qui", "quick", "quickly", "quite", "quoi", "rather",
    "re", "really", "right", "same", "say", "says", "schon", "see", "seem", "seems", "seguir", "sem", "shall",
    "she", "should", "show", "side", "sie", "sigue", "simply", "sin", "since", "sind", "so", "soll", "sollen",
    "some", "something", "sont", "soon", "still", "such", "sur", "sure", "take", "taken", "también", "também", "te",
    "than", "thank", "thanks", "that", "the", "their", "theirs", "them", "then", "there", "these", "they", "thing",
    "things", "think", "this", "those", "though", "three", "through", "thus", "to", "today", "todo", "todos",
    "together", "tomorrow", "too", "tous", "tout", "try", "trying", "tudo", "tutto", "two", "un", "una", "unas",
    "und", "under", "une", "unos", "until", "up", "upon", "us", "use", "used", "uses", "using", "van", "verder",
    "very", "via", "von", "voor", "votre", "vous", "wait", "want", "wants", "warum", "was", "way", "we", "weiter",
    "weitermachen", "wel", "well", "werden", "were", "what", "when", "where", "whether", "which", "while", "who",
    "whoever", "whole", "whose", "why", "wie", "will", "wir", "wird", "wish", "with", "within", "without", "wo",
    "won", "would", "yeah", "yes", "yesterday", "yet", "you", "your", "yours", "yourself", "zum", "zur",
];

/// Stems of what all work is made of.
#[rustfmt::skip]
const WORK: &[&str] = &[
    "ability", "abl", "accept", "access", "act", "action", "actual", "ad", "add", "addit", "adjust", "agent", "ai",
    "allow", "answer", "api", "app", "apply", "approach", "argument", "ask", "assist", "attempt", "availabl", "bad",
    "bas", "basic", "begin", "behavior", "behaviour", "best", "big", "bit", "blocker", "branch", "break", "bring",
    "broken", "bug", "build", "button", "call", "careful", "cargo", "carry", "cas", "caus", "caut", "chang", "chat",
    "check", "choos", "class", "claud", "clean", "cleanup", "clear", "cli", "client", "clippy", "clos", "cod",
    "codex", "column", "command", "comment", "commit", "compil", "complet", "completely", "config", "configurat",
    "confirm", "consider", "context", "continu", "convert", "copy", "correct", "could", "crat", "creat", "current",
    "cursor", "cut", "data", "day", "debug", "decid", "decis", "default", "delet", "deliver", "demo", "deploy",
    "describ", "design", "detail", "develop", "development", "diff", "differenc", "different", "directory",
    "discuss", "doc", "document", "documentat", "draft", "edit", "effort", "enabl", "end", "ensur", "entir",
    "entry", "error", "especially", "exampl", "exist", "exit", "expect", "explain", "explor", "extra", "fail",
    "failur", "fals", "fast", "featur", "field", "figur", "fil", "fill", "final", "finally", "find", "finish",
    "fix", "folder", "follow", "form", "format", "found", "funct", "gemini", "general", "generat", "github",
    "gitlab", "handl", "handoff", "happen", "hard", "head", "high", "hour", "html", "idea", "identify", "implement",
    "implementat", "import", "important", "improv", "includ", "index", "info", "inform", "informat", "input",
    "inspect", "install", "instruct", "investigat", "issu", "item", "javascript", "job", "join", "js", "json",
    "jump", "key", "languag", "larg", "later", "latest", "launch", "lead", "leav", "left", "level", "lib",
    "library", "lin", "lint", "linter", "linux", "list", "load", "local", "log", "logic", "longer", "low", "maco",
    "main", "manag", "mark", "matter", "md", "mean", "meant", "ment", "merg", "messag", "method", "minor", "minut",
    "miss", "mod", "model", "modul", "mov", "nam", "new", "nod", "non", "not", "npm", "null", "number", "object",
    "old", "open", "opencod", "operat", "option", "order", "original", "output", "pag", "panic", "parameter",
    "pars", "particular", "pass", "path", "pend", "perform", "person", "pick", "plac", "plan", "plus", "pnpm",
    "point", "pointer", "post", "prepar", "present", "previous", "print", "problem", "proc", "process", "produc",
    "progress", "project", "prompt", "properly", "property", "provid", "pull", "purpos", "push", "py", "pytest",
    "quest", "readm", "ready", "real", "reason", "recent", "record", "refactor", "referenc", "regard", "relat",
    "releas", "remain", "remember", "remov", "renam", "repeat", "replac", "reply", "repo", "report", "repository",
    "request", "requir", "rerun", "reset", "resolv", "respond", "respons", "rest", "restart", "restor", "result",
    "resum", "return", "revert", "review", "rewrit", "roll", "round", "rs", "rul", "run", "saf", "sampl", "sav",
    "scop", "script", "second", "sect", "select", "send", "separat", "server", "sess", "set", "setup", "several",
    "shar", "short", "similar", "simpl", "singl", "siz", "skip", "small", "softwar", "solut", "solv", "sort",
    "sourc", "spec", "specific", "split", "src", "stack", "stag", "standard", "start", "stat", "status", "step",
    "stop", "stor", "string", "structur", "stuff", "styl", "suggest", "suit", "summariz", "summary", "support",
    "switch", "system", "tabl", "task", "team", "tell", "term", "terminal", "test", "text", "tim", "titl", "todo",
    "toml", "tool", "top", "topic", "total", "touch", "trac", "track", "treat", "tru", "ts", "turn", "txt", "typ",
    "typescript", "ui", "understand", "undo", "unit", "updat", "upgrad", "user", "valu", "variabl", "verify",
    "vers", "view", "vscod", "warn", "watch", "week", "window", "work", "world", "wrap", "writ", "written", "wrong",
    "yaml", "yarn", "year", "yml",
];

#[rustfmt::skip]
const PAIRS: &[&str] = &[
    "お願", "ァイ", "イル", "エラ", "コー", "スト", "テス", "バグ", "ファ", "ラー", "ード", "一下", "什么", "什麼", "今回", "代码", "代碼", "任务",
    "任務", "作業", "保存", "修复", "修復", "修正", "全部", "削除", "可以", "問題", "変更", "好的", "実行", "実装", "対応", "專案", "帮我", "幫我",
    "怎么", "怎麼", "我们", "我們", "文件", "更新", "最後", "检查", "檢查", "次回", "测试", "添加", "測試", "然后", "然後", "现在", "現在", "確認",
    "終了", "継続", "続け", "続行", "繼續", "继续", "謝謝", "谢谢", "运行", "这个", "追加", "這個", "運行", "那个", "那個", "開始", "願い", "项目",
    "감사", "계속", "니다", "변경", "세요", "수정", "스트", "시작", "실행", "완료", "작업", "주세", "추가", "테스", "합니", "해주", "해줘", "확인",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_are_in_order() {
        for list in [SENTENCES, WORK, PAIRS] {
            assert!(list.is_sorted_by(|one, other| one < other));
        }
    }

    #[test]
    fn what_a_project_is_about_is_not_common() {
        for (written, stem) in [("token", "token"), ("theme", "them"), ("Dates", "dat"), ("wire", "wir")] {
            assert!(!is_common(written, stem), "{written}");
        }
        assert!(is_common("Them", "them") && is_common("testing", "test") && is_common_pair("実行"));
    }
}
