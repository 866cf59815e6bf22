//! Words by which agents say what comes next, in the languages that developers use most.

use super::finished::{finished, is_finished_word, says_finished};
use crate::session::ItemKind;

/// The subject of a part of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    /// Items of this kind
    Open(ItemKind),
    /// Questions, where they are written as such: the same word heads lists of problems
    Asked,
    /// Things that are done
    Done,
}

const NEXT: Topic = Topic::Open(ItemKind::Next);
const BLOCKER: Topic = Topic::Open(ItemKind::Blocker);
const QUESTION: Topic = Topic::Open(ItemKind::Question);

/// Headings, in lower case and without punctuation. Scripts without blanks between words are compared as they are.
const MARKERS: &[(Topic, &[&str])] = &[
    (
        NEXT,
        &[
            // English
            "next",
            "next step",
            "next steps",
            "next up",
            "whats next",
            "what is next",
            "what comes next",
            "next action",
            "next actions",
            "next tasks",
            "next session",
            "for next session",
            "action items",
            "todo",
            "todos",
            "to do",
            "to dos",
            "todo list",
            "still to do",
            "left to do",
            "things to do",
            "remaining",
            "remaining work",
            "remaining tasks",
            "remaining task",
            "remaining steps",
            "remaining items",
            "remaining issues",
            "remaining todos",
            "what remains",
            "whats left",
            "what is left",
            "whats missing",
            "still missing",
            "still open",
            "still outstanding",
            "still failing",
            "left open",
            "open items",
            "open points",
            "open tasks",
            "open issues",
            "open work",
            "pending",
            "pending work",
            "pending tasks",
            "pending items",
            "outstanding",
            "outstanding work",
            "outstanding items",
            "outstanding tasks",
            "not done",
            "not done yet",
            "not yet done",
            "not finished",
            "unfinished",
            "unfinished work",
            "follow up",
            "follow ups",
            "followup",
            "followups",
            "follow up work",
            "follow up tasks",
            "where to continue",
            "where to pick up",
            "tomorrow",
            // German
            "nächste schritte",
            "nächster schritt",
            "die nächsten schritte",
            "als nächstes",
            "noch offen",
            "offen",
            "offene punkte",
            "offene aufgaben",
            "noch zu tun",
            "zu tun",
            "noch zu erledigen",
            "zu erledigen",
            "verbleibend",
            "verbleibende aufgaben",
            "verbleibende arbeiten",
            "ausstehend",
            "es fehlt noch",
            "fehlt noch",
            "was noch fehlt",
            "was noch offen ist",
            "wie geht es weiter",
            "so geht es weiter",
            // Spanish
            "próximos pasos",
            "próximo paso",
            "siguientes pasos",
            "siguiente paso",
            "siguiente",
            "lo siguiente",
            "pendiente",
            "pendientes",
            "tareas pendientes",
            "trabajo pendiente",
            "por hacer",
            "queda por hacer",
            "queda pendiente",
            "lo que falta",
            "qué falta",
            "falta",
            "faltan",
            "falta por hacer",
            // Portuguese
            "próximos passos",
            "próximo passo",
            "a seguir",
            "pendente",
            "pendentes",
            "pendências",
            "tarefas pendentes",
            "por fazer",
            "a fazer",
            "falta fazer",
            "o que falta",
            "trabalho restante",
            "restante",
            "tarefas restantes",
            // French
            "prochaines étapes",
            "prochaine étape",
            "étapes suivantes",
            "étape suivante",
            "ensuite",
            "la suite",
            "suite",
            "à faire",
            "reste à faire",
            "il reste à faire",
            "ce qui reste",
            "ce qui reste à faire",
            "ce quil reste à faire",
            "tâches restantes",
            "travail restant",
            "en suspens",
            "points ouverts",
            // Russian
            "следующие шаги",
            "следующий шаг",
            "дальнейшие шаги",
            "дальше",
            "далее",
            "что дальше",
            "осталось",
            "осталось сделать",
            "что осталось",
            "что осталось сделать",
            "нужно сделать",
            "надо сделать",
            "ещё не сделано",
            "еще не сделано",
            "не сделано",
            "остаётся",
            "остается",
            "незавершено",
            // Chinese
            "下一步",
            "接下来",
            "接下來",
            "后续",
            "後續",
            "待办",
            "待辦",
            "待完成",
            "未完成",
            "尚未完成",
            "剩余",
            "剩餘",
            "还需要",
            "還需要",
            "还剩",
            "仍需",
            // Japanese
            "次",
            "次のステップ",
            "次にやること",
            "次の作業",
            "次の手順",
            "次回",
            "今後の作業",
            "今後の予定",
            "今後の課題",
            "残り",
            "残りの作業",
            "残作業",
            "残タスク",
            "残課題",
            "未完了",
            "未対応",
            "未着手",
            "やること",
            // Korean
            "다음",
            "다음 단계",
            "다음 작업",
            "남은 작업",
            "남은 일",
            "할 일",
            "미완료",
            "향후 작업",
            "후속 작업",
            // Italian
            "prossimi passi",
            "prossimo passo",
            "passi successivi",
            "passo successivo",
            "da fare",
            "ancora da fare",
            "resta da fare",
            "rimane da fare",
            "cose da fare",
            "in sospeso",
            "attività rimanenti",
            "lavoro rimanente",
            "cosa manca",
            "manca ancora",
        ],
    ),
    (
        BLOCKER,
        &[
            "blocked",
            "blocker",
            "blockers",
            "blocked on",
            "blocked by",
            "blocking",
            "blocking issue",
            "blocking issues",
            "current blockers",
            "open blockers",
            "waiting for",
            "waiting on",
            "impediments",
            "stuck",
            "stuck on",
            "blockiert",
            "blockiert durch",
            "blockaden",
            "hindernisse",
            "wartet auf",
            "warte auf", //
            "bloqueado",
            "bloqueada",
            "bloqueado por",
            "bloqueos",
            "bloqueadores",
            "impedimentos",
            "a la espera de",
            "en espera de",
            "esperando", //
            "bloqueios",
            "aguardando",
            "à espera de", //
            "bloqué",
            "bloquée",
            "bloqué par",
            "bloquant",
            "bloquants",
            "points bloquants",
            "blocages",
            "en attente",
            "en attente de", //
            "заблокировано",
            "блокеры",
            "блокер",
            "блокирует",
            "блокирующие проблемы",
            "препятствия",
            "ожидает",
            "ждёт",
            "阻塞",
            "被阻塞",
            "阻塞项",
            "阻塞点",
            "阻塞问题",
            "受阻",
            "阻碍",
            "阻礙",
            "障碍",
            "障礙",
            "卡点",
            "等待",
            "ブロッカー",
            "ブロック中",
            "ブロック要因",
            "ブロックされている",
            "障害",
            "待ち", //
            "차단됨",
            "막힌 부분",
            "블로커",
            "차단 요소",
            "장애물",
            "bloccato",
            "bloccata",
            "bloccato da",
            "blocchi",
            "impedimenti",
            "in attesa",
            "in attesa di",
        ],
    ),
    (
        QUESTION,
        &[
            "question",
            "questions",
            "open question",
            "open questions",
            "question for you",
            "questions for you",
            "unanswered questions",
            "to clarify",
            "needs clarification",
            "need your input",
            "needs your input",
            "decision needed",
            "decisions needed",
            "needs a decision", //
            "frage",
            "fragen",
            "offene frage",
            "offene fragen",
            "zu klären",
            "noch zu klären",
            "rückfragen", //
            "pregunta",
            "preguntas",
            "preguntas abiertas",
            "preguntas pendientes",
            "dudas",
            "por aclarar", //
            "pergunta",
            "perguntas",
            "perguntas em aberto",
            "questões em aberto",
            "dúvidas", //
            "questions ouvertes",
            "question ouverte",
            "questions en suspens",
            "à clarifier", //
            "вопрос",
            "вопросы",
            "открытые вопросы",
            "вопросы к вам",
            "нужно уточнить", //
            "疑问",
            "疑問",
            "待确认",
            "待確認",
            "需要确认",
            "需要確認",
            "未决问题",
            "开放问题", //
            "質問",
            "未解決の質問",
            "確認事項",
            "要確認",
            "不明点", //
            "질문",
            "열린 질문",
            "미해결 질문",
            "확인 필요",
            "확인 사항",
            "domanda",
            "domande",
            "domande aperte",
            "da chiarire",
        ],
    ),
    (Topic::Asked, &["问题", "問題"]),
    (
        Topic::Done,
        &[
            "done",
            "completed",
            "finished",
            "fixed",
            "implemented",
            "what i did",
            "what was done",
            "what is done",
            "whats done",
            "done so far",
            "changes",
            "changes made",
            "what changed",
            "summary",
            "results", //
            "erledigt",
            "fertig",
            "abgeschlossen",
            "umgesetzt",
            "änderungen",
            "zusammenfassung", //
            "hecho",
            "completado",
            "terminado",
            "cambios",
            "resumen", //
            "feito",
            "concluído",
            "mudanças",
            "alterações",
            "resumo", //
            "fait",
            "terminé",
            "changements",
            "modifications",
            "résumé", //
            "сделано",
            "готово",
            "выполнено",
            "завершено",
            "изменения",
            "итог", //
            "已完成",
            "完成情况",
            "完成的工作",
            "更改",
            "总结",
            "總結",
            "变更",
            "修改内容", //
            "完了",
            "完了した作業",
            "実施内容",
            "変更点",
            "まとめ",
            "対応済み", //
            "완료",
            "완료됨",
            "완료된 작업",
            "변경 사항",
            "요약",
            "fatto",
            "completato",
            "finito",
            "modifiche",
            "riepilogo",
            "riassunto",
        ],
    ),
];

/// Beginnings of sentences that say what comes next without a colon.
const OPENERS: &[(Topic, &[&str])] = &[
    (
        NEXT,
        &[
            "the next step is ",
            "the next steps are ",
            "next step is ",
            "next steps are ",
            "next up is ",
            "what remains is ",
            "what is left is ",
            "whats left is ",
            "it remains to ",
            "still to do is ",
            "todo ",
            "i still need to ",
            "i still have to ",
            "we still need to ",
            "we still have to ",
            "you still need to ",
            "you still have to ",
            "still need to ",
            "still needs to ",
            "what still needs to ",
            "der nächste schritt ist ",
            "als nächstes steht ",
            "als nächstes muss ",
            "als nächstes sollte ",
            "noch offen ist ",
            "es fehlt noch ",
            "ich muss noch ",
            "wir müssen noch ",
            "el siguiente paso es ",
            "el próximo paso es ",
            "queda por ",
            "o próximo passo é ",
            "la prochaine étape est ",
            "il reste à ",
            "следующий шаг ",
            "осталось ",
            "下一步是",
            "接下来需要",
            "还需要",
            "次のステップは",
            "残りは",
            "다음 단계는 ",
            "il prossimo passo è ",
            "resta da ",
            "rimane da ",
        ],
    ),
    (
        BLOCKER,
        &[
            "blocked on ",
            "blocked by ",
            "i am blocked ",
            "im blocked ",
            "we are blocked ",
            "were blocked on ",
            "were blocked by ",
            "were waiting for ",
            "were waiting on ",
            "work is blocked ",
            "currently blocked ",
            "still blocked ",
            "i am stuck on ",
            "im stuck on ",
            "we are stuck on ",
            "i am waiting for ",
            "im waiting for ",
            "we are waiting for ",
            "i am waiting on ",
            "we are waiting on ",
            "this is blocked ",
            "it is blocked ",
            "its blocked ",
            "still waiting for ",
            "waiting for ",
            "waiting on ",
            "blockiert durch ",
            "es wartet auf ",
            "bloqueado por ",
            "bloqué par ",
            "bloccato da ",
            "заблокировано ",
        ],
    ),
];

/// Words that turn a heading into its opposite, or what it lists into something that nobody has to do.
const NOT_MEANT: &[&str] = &[
    "no",
    "none",
    "without",
    "optional",
    "possible",
    "potential",
    "nice",
    "rejected",
    "declined",
    "discarded",
    "ideas",
    "keine",
    "kein",
    "optionale",
    "mögliche",
    "sin",
    "opcional",
    "opcionales",
    "posibles",
    "sem",
    "opcionais",
    "possíveis",
    "sans",
    "aucun",
    "aucune",
    "possibles",
    "нет",
    "без",
    "возможные",
    "senza",
    "nessun",
    "nessuno",
    "opzionali",
    "possibili",
];

/// The same in scripts without blanks between words.
const NOT_MEANT_PARTS: &[&str] = &["无", "無", "没有", "沒有", "可选", "可選", "なし", "任意", "없음", "선택"];

/// As many further words may stand beside a marker of several words, as in `Next steps for tomorrow`.
const FURTHER_WORDS: usize = 3;
/// As many further characters may stand beside one in a script without blanks.
const FURTHER_CHARS: usize = 10;

/// Whole texts that say that there is nothing.
const NOTHING: &[&str] = &[
    "none",
    "nothing",
    "na",
    "n a",
    "no",
    "nil",
    "all done",
    "everything is done",
    "everything done",
    "complete",
    "tbd",
    "everything is complete",
    "everything is finished",
    "thanks",
    "thank you",
    "cheers",
    "bye",
    "nichts",
    "keine",
    "keiner",
    "ninguno",
    "ninguna",
    "nada",
    "nenhum",
    "nenhuma",
    "aucun",
    "aucune",
    "rien",
    "nessuno",
    "nessuna",
    "niente",
    "nulla",
    "нет",
    "ничего",
    "无",
    "無",
    "没有",
    "沒有",
    "暂无",
    "暫無",
    "なし",
    "特になし",
    "ありません",
    "없음",
    "없습니다",
];

/// Beginnings of sentences that say that there is nothing.
const NOTHING_OPENERS: &[&str] = &[
    "no blockers",
    "no blocker",
    "no open",
    "no remaining",
    "no further",
    "no outstanding",
    "no questions",
    "no question",
    "no next",
    "no known",
    "no todo",
    "no more",
    "no action",
    "no pending",
    "no follow",
    "nothing ",
    "none ",
    "not blocked",
    "was ",
    "has been ",
    "have been ",
    "nichts ",
    "nada ",
    "no queda",
    "rien ",
    "plus rien",
    "ничего ",
    "niente ",
    "nulla ",
    "暂无",
    "暫無",
    "特になし",
    "特にありません",
];

/// The same for anything but a blocker: `no key` is nothing to do, and blocks the work.
const LACK_OPENERS: &[&str] = &[
    "keine ",
    "kein ",
    "sin ",
    "ningún ",
    "ninguna ",
    "no hay ",
    "nenhum",
    "sem ",
    "não há ",
    "aucun",
    "pas de ",
    "нет ",
    "nessun",
    "无",
    "無",
    "没有",
    "沒有",
];

/// Parts of words for a blocker, or for the time being, which leave nothing after such a beginning.
const NO_LACK: &[&str] = &[
    "block",
    "bloqu",
    "bloque",
    "bloc",
    "hindern",
    "impedim",
    "obstác",
    "blocc",
    "блок",
    "препятств",
    "阻",
    "障",
    "卡点",
    "ブロ",
    "weiter",
    "derzeit",
    "aktuell",
    "bekannt",
    "moment",
    "сейчас",
    "пока",
    "目前",
];

/// Words after which there is something after all.
const EXCEPTIONS: &[&str] = &[
    "but",
    "except",
    "apart",
    "aside",
    "besides",
    "until",
    "aber",
    "außer",
    "bis",
    "pero",
    "salvo",
    "excepto",
    "mas",
    "exceto",
    "sauf",
    "mais",
    "но",
    "кроме",
    "除了",
    "但",
];

/// Offers to a person, which leave nothing open.
const OFFERS: &[&str] = &[
    "let me know",
    "would you like",
    "do you want",
    "shall i",
    "should i continue",
    "should i proceed",
    "i can also",
    "i can ",
    "happy to",
    "feel free",
    "if you want",
    "if youd like",
    "if you like",
    "want me to",
    "ready for",
    "soll ich",
    "möchtest du",
    "sag bescheid",
    "quieres que",
    "¿quieres",
    "quer que",
    "voulez vous",
    "souhaitez vous",
    "хотите",
    "如果你",
    "如果您",
    "需要我",
    "必要であれば",
    "원하시면",
];

/// The topic that a heading names.
pub(super) fn topic(heading: &str) -> Option<Topic> {
    let (before, behind) = heading.split_once(['(', '[', '（']).unwrap_or((heading, ""));
    let topic = [heading, before].iter().find_map(|form| named(&words(form)))?;
    // `Next steps (all completed)` and `Completed next steps` list what is done; a tick in front may be an ornament.
    let is_first = words(heading).split(' ').next().is_some_and(is_finished_word);
    let is_marked = finished(heading).is_some() && heading.starts_with(|c: char| c.is_alphanumeric() || c == '~');
    let is_finished = is_first || is_marked || says_finished(behind);
    Some(if is_finished { Topic::Done } else { topic })
}

/// Reports whether a heading is taken back, as in `Not next steps`, or offers what is below it.
fn is_not(words: &str) -> bool {
    const CONDITIONS: &[&str] = &[" if you want", " if you like", " if youd like", " if you wish"];
    let is_open = |rest: &str| ["done", "yet", "finished"].iter().any(|word| rest.starts_with(word));
    words.strip_prefix("not ").is_some_and(|rest| !is_open(rest)) || CONDITIONS.iter().any(|part| words.contains(part))
}

/// Reports whether a line that leads over to a list says that it is of another person.
pub(super) fn is_attribution(line: &str) -> bool {
    const NOBODY: &[&str] =
        &["what", "here", "it", "that", "there", "let", "today", "tomorrow", "week", "project", "session", "branch"];
    const LISTS: &[&str] = &["list", "lists", "todo", "todos", "notes", "plan", "checklist", "next", "own", "roadmap"];
    if !line.trim_end().ends_with([':', '：']) {
        return false;
    }
    let small = line.to_lowercase().replace('’', "'");
    let all: Vec<&str> = small.split_whitespace().map(|word| word.trim_matches([':', ',', '*', '"', '`'])).collect();
    let is_owner = |word: &str| word.strip_suffix("'s").is_some_and(|owner| !NOBODY.contains(&owner));
    let is_owned = all.windows(2).any(|pair| is_owner(pair[0]) && LISTS.contains(&pair[1]));
    let is_written = all.windows(2).any(|pair| pair == ["written", "by"] && !all.contains(&"me"));
    is_owned || is_written
}

fn named(words: &str) -> Option<Topic> {
    if words.is_empty() {
        return None;
    }
    let all = || MARKERS.iter().flat_map(|(topic, markers)| markers.iter().map(move |marker| (*topic, *marker)));
    if let Some((topic, _)) = all().find(|(_, marker)| *marker == words) {
        return Some(topic);
    }
    let is_negated = is_not(words)
        || words.split(' ').any(|word| NOT_MEANT.contains(&word))
        || NOT_MEANT_PARTS.iter().any(|part| words.contains(part));
    if is_negated {
        return None;
    }
    let count = |text: &str| text.split(' ').filter(|word| !word.is_empty()).count();
    let is_part = |marker: &str| {
        if marker.chars().all(is_unspaced) {
            let is_long = marker.chars().nth(1).is_some();
            return is_long
                && (words.starts_with(marker) || words.ends_with(marker))
                && words.chars().count() <= marker.chars().count() + FURTHER_CHARS;
        }
        if count(marker) < 2 || count(words) > count(marker) + FURTHER_WORDS {
            return false;
        }
        let before = words.strip_prefix(marker).is_some_and(|rest| rest.starts_with(' '));
        let behind = words.strip_suffix(marker).is_some_and(|rest| rest.ends_with(' '));
        before || behind
    };
    // The longest one says most: `open questions` before `open`.
    all()
        .filter(|(topic, marker)| *topic != Topic::Asked && is_part(marker))
        .max_by_key(|(_, marker)| marker.len())
        .map(|(topic, _)| topic)
}

/// The topic that a sentence opens without a colon.
pub(super) fn opened(sentence: &str) -> Option<Topic> {
    let words = format!("{} ", words(sentence));
    // Sentences about such comments and lists, not entries of one.
    let is_about = ["comment", "list", "item", "marker", "entries"]
        .iter()
        .any(|noun| words.strip_prefix("todo ").is_some_and(|rest| rest.starts_with(noun)));
    if is_about {
        return None;
    }
    let opens = |openers: &[&str]| openers.iter().any(|opener| words.starts_with(opener));
    OPENERS.iter().find(|(_, openers)| opens(openers)).map(|(topic, _)| *topic)
}

/// Reports whether the text of an item says that there is none of its kind.
pub(super) fn is_nothing(kind: ItemKind, text: &str) -> bool {
    const MAX_WORDS: usize = 9;
    const LIFTED: &[&str] = &[" fine now", " works now", " working now", " resolved now", " no longer blocked"];
    let words = words(text);
    if kind == ItemKind::Blocker && LIFTED.iter().any(|part| words.ends_with(part)) {
        return true;
    }
    if words.is_empty() || NOTHING.contains(&words.as_str()) {
        return true;
    }
    let is_short = words.split(' ').nth(MAX_WORDS).is_none();
    let has_exception = words.split(' ').any(|word| EXCEPTIONS.contains(&word));
    let spaced = format!("{words} ");
    let begins = |openers: &[&str]| openers.iter().any(|opener| spaced.starts_with(opener));
    let is_lack = kind == ItemKind::Blocker && !NO_LACK.iter().any(|part| words.contains(part));
    is_short && !has_exception && (begins(NOTHING_OPENERS) || (begins(LACK_OPENERS) && !is_lack))
}

/// Reports whether a text asks something.
pub(super) fn asks(text: &str) -> bool {
    const ASKING: &[&str] =
        &["吗", "嗎", "哪", "什么", "什麼", "怎么", "怎麼", "是否", "如何", "为什么", "谁", "ですか", "ますか"];
    text.contains(['?', '？']) || ASKING.iter().any(|word| text.contains(word))
}

/// Reports whether a sentence only offers something.
pub(super) fn is_offer(text: &str) -> bool {
    let words = format!("{} ", words(text));
    OFFERS.iter().any(|offer| words.starts_with(offer))
}

pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

/// The words in lower case with single blanks between, without numbers and signs in front.
pub(super) fn words(text: &str) -> String {
    let lower = text.to_lowercase().replace(['\'', '’', '`'], "");
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<&str> = words.skip_while(|word| word.bytes().all(|byte| byte.is_ascii_digit())).collect();
    words.join(" ")
}
