use std::sync::LazyLock;

use bpe_openai::Tokenizer;

use super::{SINGLE, TOKEN, WORDS, estimate, sixteenths};

static O200K: LazyLock<&Tokenizer> = LazyLock::new(bpe_openai::o200k_base);

/// The estimate in percent of the true count.
fn percent(text: &str) -> usize {
    let count = O200K.count(text);
    assert!(count >= 100, "{count} tokens are too few to judge by: {text}");
    estimate(text) * 100 / count
}

fn assert_within(kind: &str, text: &str, above: usize) {
    let percent = percent(text);
    assert!((95..=100 + above).contains(&percent), "{kind}: {percent} % of the true count: {text:.400?}");
}

/// The same numbers on every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn of(&mut self, alphabet: &str, length: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        (0..length).map(|_| letters[self.below(letters.len())]).collect()
    }

    fn words(&mut self, alphabet: &str, lengths: &[usize]) -> String {
        let words: Vec<String> = (0..150)
            .map(|_| {
                let length = lengths[self.below(lengths.len())];
                self.of(alphabet, length)
            })
            .collect();
        words.join(" ")
    }
}

const SMALL: &str = "abcdefghijklmnopqrstuvwxyz";
const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";
const MARKS: &str = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

const CHINESE: &str = "今天我们把登录模块的令牌解析拆成了独立的函数，刷新流程的测试仍然失败，原因是测试数据库的端口写错了。\
    下一步先修复刷新测试，然后运行竞争检测，最后更新文档并提交合并请求。请注意：不要删除旧的会话文件，因为迁移脚本还会用到它们。\
    会话结束之前请保存交接记录，写清楚已经做出的决定、还没有解决的问题，以及下一个人应该从哪个文件开始。";
const JAPANESE: &str = "認証ミドルウェアの整理を進めました。トークンの解析は別の関数に分けましたが、更新処理のテストはまだ失敗しています。\
    テスト用データベースのポート番号が間違っていたことが原因です。次の作業では、まず更新テストを直し、その後で競合の検査を行い、\
    最後に文書を更新してください。古いセッションファイルは移行スクリプトが使うので削除しないでください。";
const KOREAN: &str = "인증 미들웨어를 정리하는 작업을 진행했습니다. 토큰 분석은 별도의 함수로 분리했지만 갱신 과정의 테스트는 아직 실패하고 \
    있습니다. 테스트 데이터베이스의 포트 번호가 잘못되어 있었던 것이 원인입니다. 다음 작업에서는 먼저 갱신 테스트를 고치고, 그 다음 \
    경쟁 상태를 검사한 뒤 마지막으로 문서를 갱신해 주세요. 오래된 세션 파일은 이전 스크립트가 사용하므로 삭제하지 마세요.";
const GERMAN: &str = "Die Prüfung der Zugangsschlüssel wurde in eine eigene Funktion ausgelagert, aber die Tests der Erneuerung \
    schlagen weiterhin fehl. Als Nächstes müssen die Tests repariert und die Dokumentation überarbeitet werden. Größere Änderungen \
    bitte vorher absprechen, denn die Umstellung läuft noch. Ältere Sitzungen dürfen nicht gelöscht werden, weil das Skript für \
    die Übernahme sie noch braucht. Danach folgen die Messungen, die Freigabe und ein kurzer Bericht für alle Beteiligten.";
const RUSSIAN: &str = "Сегодня мы вынесли разбор токена в отдельную функцию, но тесты обновления всё ещё не проходят. Причина в том, \
    что порт тестовой базы данных был указан неверно. Следующий шаг: исправить тесты, затем проверить состояние гонки и обновить \
    документацию. Старые файлы сеансов удалять нельзя, потому что они ещё нужны сценарию переноса. После этого остаются замеры, \
    выпуск новой версии и короткий отчёт для всех участников проекта, которые работают с этим кодом каждый день.";
const EMOJI: &str = "✅ done 🚀 shipped 🐛 bug fixed ⚠️ careful 🎉🎉 🔥 👨‍👩‍👧 👍🏽 ❌ failed 📝 notes 🔒 locked ➡️ next ✨ 💡 idea 🧪 tests 🤖 agent \
    📦 package 🧵 thread 🪝 hook 🗂️ files 🧠 memory 🔁 again ⏳ waiting 🙏 thanks 😀😅🤔 🏁 finish 🥇🥈🥉 🇩🇪 🇯🇵 🇰🇷 🇨🇳 🛠️ tools 🧹 chores";

#[test]
fn documentation_code_and_data_of_this_repository_are_within_thirty_percent() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    for path in [
        "docs/architecture.md",
        "docs/format.md",
        "Cargo.toml",
        "crates/handoff-model/src/document.rs",
        "crates/handoff-model/src/config/describe.rs",
        "crates/handoff-store/src/commit.rs",
        "crates/handoff-ops/src/registry.rs",
        "contract/operations.json",
    ] {
        let text = std::fs::read_to_string(format!("{root}/{path}")).unwrap();
        for part in text.as_bytes().chunks(6_000).take(4).filter(|part| part.len() > 1_500) {
            assert_within(path, &String::from_utf8_lossy(part), 30);
        }
    }
}

#[test]
fn random_ids_numbers_and_paths_are_within_thirty_percent() {
    let mut dice = Dice(1);
    assert_within("hexadecimal", &dice.words("0123456789abcdef", &[7, 12, 40]), 30);
    assert_within("base32", &dice.words("abcdefghijklmnopqrstuvwxyz234567", &[8]), 30);
    assert_within("base64", &dice.of(&format!("{SMALL}{CAPITALS}{DIGITS}+/"), 800), 30);
    assert_within("numbers", &dice.words(DIGITS, &[1, 2, 3, 4, 7, 10]), 30);
    assert_within("marks", &dice.of(MARKS, 800), 30);
    assert_within(
        "paths",
        &"crates/handoff-model/src/document/lists.rs\nweb/views/task/TaskCard.tsx\ndocs/cli.md\n".repeat(10),
        30,
    );
    assert_within("emoji", EMOJI, 30);
}

#[test]
fn other_languages_are_within_their_bounds() {
    for (kind, text) in [("Chinese", CHINESE), ("Japanese", JAPANESE), ("Korean", KOREAN), ("German", GERMAN)] {
        assert_within(kind, text, 60);
    }
    assert_within("Russian", RUSSIAN, 250);
    let capitals =
        "THE SOFTWARE IS PROVIDED AS IT IS, WITHOUT WARRANTY OF ANY KIND, AND NOBODY SHALL BE LIABLE. ".repeat(6);
    assert_within("capitals", &capitals, 60);
}

#[test]
fn no_kind_of_random_text_is_underestimated_by_more_than_five_percent() {
    let mut dice = Dice(2);
    for _ in 0..12 {
        for (kind, text) in [
            ("words", dice.words(SMALL, &[1, 2, 3, 5, 8, 13])),
            ("short words", dice.words(SMALL, &[1, 2, 3])),
            ("capitals", dice.words(CAPITALS, &[1, 2, 3, 5, 8])),
            ("one long word", dice.of(SMALL, 600)),
            ("printable", dice.of(&format!("{SMALL}{CAPITALS}{DIGITS}{MARKS} "), 600)),
            ("white space", dice.of(" \t\r\n", 800)),
            ("white space and little else", dice.of(" \t\r\nab1.", 600)),
            (
                "repeated",
                dice.of(&format!("{MARKS}{SMALL}{DIGITS} \n"), 40).chars().flat_map(|one| [one; 30]).collect(),
            ),
        ] {
            assert_within(kind, &text, 200);
        }
        let bytes: Vec<u8> = (0..600).map(|_| u8::try_from(dice.below(256)).unwrap()).collect();
        assert_within("bytes", &String::from_utf8_lossy(&bytes), 200);
        assert_within("latin", &bytes.iter().map(|&byte| char::from(byte)).collect::<String>(), 200);
    }
}

#[test]
fn no_script_is_underestimated_by_more_than_five_percent() {
    let mut dice = Dice(3);
    for range in [
        0xC0..0x180,
        0x370..0x400,
        0x400..0x460,
        0x5D0..0x5EB,
        0x620..0x650,
        0x900..0x980,
        0xE01..0xE3B,
        0x1200..0x1380,
        0x2000..0x2C00,
        0x3040..0x3100,
        0x4E00..0xA000,
        0xAC00..0xD7A4,
        0x800..0xD800,
        0x1_0000..0x1_F000,
        0x1_F000..0x1_FB00,
        0x2_0000..0x3_0000,
    ] {
        let text: String = (0..400)
            .filter_map(|_| char::from_u32(u32::try_from(range.start + dice.below(range.len())).unwrap()))
            .collect();
        assert_within(&format!("{range:x?}"), &text, 200);
        let mixed: String = text.chars().flat_map(|one| [one, 'a', 'B', '7', ' ']).collect();
        assert_within(&format!("{range:x?} among ASCII"), &mixed, 200);
    }
}

#[test]
fn the_table_of_single_tokens_is_that_of_the_tokenizer() {
    let mut expected = vec![0_u8; SINGLE.len()];
    for character in (0..0x1_0000).filter_map(char::from_u32) {
        if O200K.count(&character.to_string()) == 1 {
            expected[character as usize / 8] |= 1 << (character as usize % 8);
        }
    }
    assert!(expected == SINGLE, "the table differs from the vocabulary");
}

#[test]
fn nothing_costs_nothing_and_more_text_never_costs_less() {
    assert_eq!(estimate(""), 0);
    assert_eq!(estimate("src"), 1);
    let mut dice = Dice(4);
    let text = dice.of(&format!("{SMALL}{MARKS}{DIGITS} \né中"), 200);
    for (end, _) in text.char_indices() {
        assert!(estimate(&text[..end]) <= estimate(&text) + 1);
    }
}

#[test]
fn the_known_words_are_one_token_each() {
    assert_eq!(WORDS.len(), 1_000);
    for word in WORDS.iter() {
        let word = std::str::from_utf8(word).unwrap();
        assert_eq!((O200K.count(word), O200K.count(&format!(" {word}"))), (1, 1), "{word}");
        assert_eq!(sixteenths(word), TOKEN);
    }
}

#[test]
fn lists_of_paths_are_within_fifteen_percent() {
    let list = "crates/handoff-store/src/: git.rs session.rs commit.rs layout.rs\n\
        docs/: format.md search.md sessions.md README.md\nweb/views/task/: TaskCard.tsx TaskList.tsx index.ts\n\
        src/components/settings/: form.tsx schema.ts helpers.test.ts\nscripts/release.py\n";
    assert_within("paths", &list.repeat(3), 15);
}
