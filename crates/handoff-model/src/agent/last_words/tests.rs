use proptest::prelude::*;

use super::*;

fn read(answer: &str) -> Vec<String> {
    let letter = |kind: ItemKind| match kind {
        ItemKind::Next => "n",
        ItemKind::Blocker => "b",
        ItemKind::Question => "q",
        _ => "?",
    };
    LastWords::read(answer).items.iter().map(|item| format!("{} {}", letter(item.kind), item.text)).collect()
}

#[test]
fn lists_below_headings_become_items_of_the_right_kind() {
    let answer = "The parser is split and all tests pass.\n\n## Next steps\n\n1. Extend the refresh matrix\n2. Run \
                  `cargo test -p auth`\n   - with the race detector\n   - twice\n\n## Blockers\n- Staging key is \
                  missing (Ann has it)\n\n### Open questions\n* Should tokens expire?\n\n## Files\n- src/a.rs\n";
    assert_eq!(
        read(answer),
        [
            "n Extend the refresh matrix",
            "n Run `cargo test -p auth`; with the race detector; twice",
            "b Staging key is missing (Ann has it)",
            "q Should tokens expire?",
        ]
    );
    assert_eq!(LastWords::read(answer).report, "The parser is split and all tests pass.\nFiles\nsrc/a.rs");
}

#[test]
fn headings_come_in_many_forms() {
    for heading in [
        "## Next steps",
        "### 🚧 Next Steps:",
        "**Next steps**",
        "**Next steps:**",
        "Next steps:",
        "__What's next?__",
        "#### 3. Remaining work (not started)",
        "Still open:",
        "TODO:",
        "TODO",
        "Suggested next steps:",
        "Next steps for tomorrow:",
        "**What's left**",
        "Follow-ups:",
        "- Next steps:",
    ] {
        let indent = if heading.starts_with('-') { "  " } else { "" };
        let answer = format!("All done.\n\n{heading}\n{indent}- one thing\n{indent}- another\n");
        assert_eq!(read(&answer), ["n one thing", "n another"], "{heading}");
    }
}

#[test]
fn sentences_after_a_word_and_a_colon_become_items() {
    for (answer, expected) in [
        ("Fixed it. Next: extend the matrix.", vec!["n extend the matrix."]),
        ("**Next:** extend the matrix. Then run it.", vec!["n extend the matrix. Then run it."]),
        ("Next: (1) do this, (2) do that; and (3) stop.", vec!["n do this", "n do that", "n stop."]),
        ("Done. Remaining: docs. Blocked: no key. Question: which one?", vec!["n docs.", "b no key.", "q which one?"]),
        ("Done: parser\nNext: matrix\nBlocked: key", vec!["n matrix", "b key"]),
        ("- Done: parser\n- **Next:** matrix\n- Blocked — key", vec!["n matrix", "b key"]),
        ("It works. The next step is to wire the flow. Cheers.", vec!["n The next step is to wire the flow."]),
        ("I am blocked by the missing key.", vec!["b I am blocked by the missing key."]),
        ("We are blocked on the DBA review.", vec!["b We are blocked on the DBA review."]),
        ("We're waiting for the key.", vec!["b We're waiting for the key."]),
        ("问题：\n- 支持哪些货币？", vec!["q 支持哪些货币？"]),
        ("问题：支持哪些货币", vec!["q 支持哪些货币"]),
        ("TODO write the docs", vec!["n TODO write the docs"]),
        ("## Next: extend the matrix", vec!["n extend the matrix"]),
        ("- [x] parser\n- [ ] matrix", vec!["n matrix"]),
        ("Next: a long step\nthat goes on here.", vec!["n a long step that goes on here."]),
        ("## Next steps\n\nExtend the matrix.\n\nTell me what you think.", vec!["n Extend the matrix."]),
        ("## Next steps\n\nTwo things remain.\n\n- one\n- two", vec!["n one", "n two"]),
        ("## Remaining\n\n**High**\n- one\n\n**Low**\n- two\n\nBye.", vec!["n one", "n two"]),
    ] {
        assert_eq!(read(answer), expected, "{answer}");
    }
}

#[test]
fn what_is_done_offered_absent_or_code_is_no_item() {
    for answer in [
        "Done:\n- parser\n- matrix",
        "## Completed\n1. parser",
        "## Next steps\n\nNone.",
        "No blockers. Nothing left.",
        "Blockers: none",
        "**Blockers:** None\n**Next steps:** Nothing left to do!",
        "## Remaining work\n- Nothing\n- N/A",
        "## Next steps\n\nLet me know if you want more.",
        "Optional next steps:\n- polish",
        "No next steps:\n- x",
        "```\nNext: not this\n- TODO: nor this\n```",
        "> Next: a quote",
        "| Next | x |\n|---|---|\n| Next: a | b |",
        "Next.js is set up: it runs.",
        "## Next.js migration\n- moved the pages",
        "The test ran at 12:30: fine.",
        "I fixed the remaining test.",
        "Offene Punkte: keine",
        "Pendiente: nada",
        "下一步：无",
        "残タスク：なし",
        "Осталось: ничего",
        "Prochaines étapes : aucune",
        "问题：\n- 登录失败",
        "Done: the parser. Next: nothing left to do.",
        "",
    ] {
        assert_eq!(read(answer), Vec::<String>::new(), "{answer}");
    }
    assert_eq!(LastWords::read("Done:\n- parser\n- [x] matrix").done, ["parser", "matrix"]);
    assert_eq!(read("Remaining: nothing but the docs"), ["n nothing but the docs"]);
}

#[test]
fn a_paragraph_after_the_list_ends_it() {
    let answer = "Next steps:\n- one\n\nLet me know how it goes.\n\n- an unrelated list";
    assert_eq!(read(answer), ["n one"]);
    assert_eq!(read("Next steps:\n- one\n\nWhat I did:\n- two"), ["n one"]);
    assert_eq!(read("- Next steps:\n  - one\n- Something else\n  - two"), ["n one"]);
}

#[test]
fn the_languages_that_developers_use_most_are_understood() {
    for (next, blocker, question) in [
        ("Next steps", "Blocked by", "Open questions"),
        ("下一步计划", "阻塞问题", "待确认"),
        ("Próximos pasos", "Bloqueado por", "Preguntas abiertas"),
        ("Próximos passos", "Bloqueios", "Dúvidas"),
        ("次のステップ", "ブロッカー", "確認事項"),
        ("Nächste Schritte", "Blockiert durch", "Offene Fragen"),
        ("Prochaines étapes", "Points bloquants", "Questions ouvertes"),
        ("Следующие шаги", "Блокеры", "Открытые вопросы"),
        ("다음 단계", "차단 요소", "열린 질문"),
        ("Prossimi passi", "Bloccato", "Domande aperte"),
        ("Da fare", "Bloccato da", "Da chiarire"),
    ] {
        let listed = format!("OK\n\n## {next}\n1. alpha\n2. beta\n\n**{blocker}:**\n- gamma\n\n{question}:\n\n- delta");
        assert_eq!(read(&listed), ["n alpha", "n beta", "b gamma", "q delta"], "{listed}");
        for colon in [": ", "：", " : "] {
            let inline = format!("OK.\n\n{next}{colon}alpha\n\n{blocker}{colon}gamma\n\n{question}{colon}delta");
            assert_eq!(read(&inline), ["n alpha", "b gamma", "q delta"], "{inline}");
        }
    }
}

#[test]
fn a_lack_is_a_blocker_and_the_lack_of_blockers_is_not() {
    for (answer, expected) in [
        ("Заблокировано: нет ключа", vec!["b нет ключа"]),
        ("Блокер: нет ключа", vec!["b нет ключа"]),
        ("Blockiert: keine Zugangsdaten", vec!["b keine Zugangsdaten"]),
        ("Bloqueado: sin clave", vec!["b sin clave"]),
        ("阻塞:缺少预发布密钥。", vec!["b 缺少预发布密钥。"]),
        ("阻塞:没有密钥", vec!["b 没有密钥"]),
        ("ブロック中:ステージングのキーがない。", vec!["b ステージングのキーがない。"]),
        ("Блокеры: нет блокеров", vec![]),
        ("Blocker: keine Blocker", vec![]),
        ("Blocker: keine derzeit", vec![]),
        ("阻塞:无", vec![]),
        ("阻塞:没有阻塞", vec![]),
        ("Bloccato: nessuno", vec![]),
        ("Осталось: нет задач", vec![]),
        ("I still need to update the changelog.", vec!["n I still need to update the changelog."]),
    ] {
        assert_eq!(read(answer), expected, "{answer}");
    }
}

#[test]
fn entries_that_are_marked_as_done_are_done() {
    let answer = "Next steps:\n- ✅ alpha\n  - with tests\n- beta\n- ~~gamma~~\n- (done) delta\n- eta — done\n- theta";
    assert_eq!(read(answer), ["n beta", "n theta"]);
    assert_eq!(LastWords::read(answer).done, ["alpha", "gamma", "delta", "eta"]);
    for heading in ["Next steps (all completed):", "## Remaining work (done)", "**Completed next steps**"] {
        let words = LastWords::read(&format!("{heading}\n- alpha\n- beta"));
        assert_eq!((words.items.len(), words.done.len()), (0, 2), "{heading}");
    }
    assert_eq!(read("## ✅ Next steps\n- alpha"), ["n alpha"]);
    let report = LastWords::read("Here it is:\n\n- ✅ alpha\n- ✅ beta");
    assert_eq!((report.report.as_str(), report.done.len()), ("Here it is:\nalpha\nbeta", 2));
}

#[test]
fn an_empty_box_a_cancelled_entry_and_the_list_of_another_person_are_not_done() {
    let listed = "## Done\n- [ ] Deploy to staging\n- [x] Fix typo";
    assert_eq!(read(listed), ["n Deploy to staging"]);
    assert_eq!(LastWords::read(listed).done, ["Fix typo"]);
    for answer in [
        "Bob's list says:\n\n- [x] Deploy to staging\n- [ ] Call Ann",
        "The vendor's TODO:\n\n- Deploy to staging",
        "It contains this TODO list written by the vendor:\n\nTODO:\n- vendor task one",
        "- ~~Deploy to staging~~ (cancelled)",
        "## Done\n- Deploy to staging (postponed)\n- [x] Deploy to staging — won't do",
        "Next steps:\n- ~~Deploy to staging~~ dropped",
    ] {
        let words = LastWords::read(answer);
        assert_eq!((words.items.len(), words.done.len()), (0, 0), "{answer}");
    }
    assert_eq!(read("Bob's list says:\n\n- [x] a\n\nNext:\n- b"), ["n b"]);
}

#[test]
fn words_that_only_resemble_open_work_are_no_items() {
    for answer in [
        "## Rejected next steps\n- rewrite it",
        "## Not next steps\n- rewrite it",
        "## Done\n- Next: was handled",
        "\"Next: rewrite it in Rust\"",
        "TODO comments were removed.",
        "TODO lists now render properly.",
        "Remaining work: everything is complete.",
        "Next: \n\nThanks!",
        "Next steps, if you want:\n- I could add tests",
        "Blocked: The CI was blocked yesterday but is fine now.",
    ] {
        assert_eq!(read(answer), [] as [&str; 0], "{answer}");
    }
    assert_eq!(read("## Not done yet\n- alpha"), ["n alpha"]);
    assert_eq!(read("What's next:\n- alpha"), ["n alpha"]);
}

#[test]
fn a_long_list_is_kept_and_a_longer_one_says_how_many_more() {
    let list = |count: usize| {
        let entries: Vec<String> = (1..=count).map(|number| format!("- step {number}\n")).collect();
        format!("{}\n\nRemaining:\n{}", "A sentence of the report. ".repeat(100), entries.concat())
    };
    assert_eq!(read(&list(30)).len(), 30);
    assert_eq!(read(&list(40)).last().unwrap(), "n step 40");
    let long = list(200);
    assert_eq!(read(&long).len(), MAX_ITEMS);
    assert_eq!(read(&long)[38..], ["n step 39", "n and 161 more in the transcript"]);
    assert_eq!(read(&LastWords::condensed(&long, 600)), read(&long));
}

#[test]
fn a_long_answer_keeps_what_it_says_is_done() {
    let answer = format!("{}\n\n- [x] alpha\n- ✅ beta", "A sentence of the report. ".repeat(100));
    assert_eq!(LastWords::read(&LastWords::condensed(&answer, 600)).done, ["alpha", "beta"]);
}

#[test]
fn a_long_answer_is_cut_at_a_sentence_and_its_items_stay_whole() {
    let filler = "This sentence explains a detail of the work at some length. ".repeat(60);
    let answer = format!("The parser is split.\n\n{filler}\n\n## Next steps\n- Extend the matrix\n\nBlocked: no key");
    let short = LastWords::condensed(&answer, 600);
    assert!(short.len() < 800 && short.contains("length. …"), "{short}");
    assert_eq!(read(&short), read(&answer));
    assert_eq!(read(&answer), ["n Extend the matrix", "b no key"]);
    assert_eq!(LastWords::condensed("Short.", 600), "Short.");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_answer_can_be_read_within_bounds(
        answer in prop_oneof![
            any::<String>(),
            proptest::collection::vec(prop_oneof![
                Just("Next: "), Just("## Next steps\n"), Just("- "), Just("  - "), Just("a. "), Just("\n"), Just("\n\n"),
                Just("**Blocked**"), Just(": "), Just("下一步："), Just("1. "), Just("(1) "), Just("(2) "), Just("ü。"),
                Just("None"), Just("[ ] "), Just("```\n"), Just("word "), Just("Done:"),
            ], 0..30).prop_map(|parts| parts.concat()),
        ],
        limit in 50..400_usize,
    ) {
        let words = LastWords::read(&answer);
        prop_assert!(words.items.len() <= MAX_ITEMS);
        prop_assert!(words.items.iter().all(|item| !item.text.is_empty() && item.text.len() <= MAX_ITEM_BYTES));
        let short = LastWords::condensed(&answer, limit);
        prop_assert!(short.len() <= limit + MAX_ITEMS * (MAX_ITEM_BYTES + 4) + MAX_DONE * (MAX_DONE_BYTES + 4) + 80);
    }
}
