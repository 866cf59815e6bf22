//! Joining a stretch of work with the one that came after it.

use super::loose::Turn;
use super::{Digest, add, bounds};

impl Digest {
    /// Takes in a digest of what happened next.
    pub fn join(&mut self, later: Digest) {
        let Digest {
            about,
            started_at,
            ended_at,
            prompts,
            asked,
            answer,
            earlier_answers,
            files,
            crowded_out,
            commands,
            todos,
            plan,
            failures,
            tokens,
            counts_earlier,
            fill,
            compactions,
            turns,
            seconds,
            is_unfinished: _,
            is_under_way: _,
            handoff_calls,
            mut loose,
        } = later;
        self.about.take(about);
        self.started_at = add::earliest(self.started_at, started_at);
        self.ended_at = self.ended_at.max(ended_at);

        let turn = self.loose.turn;
        let is_order_by_line = !loose.orphans.is_empty();
        for outcome in std::mem::take(&mut loose.orphans) {
            self.settle(outcome);
        }
        if loose.withdrawn > 0 {
            self.withdraw(loose.withdrawn);
        }

        self.join_answers(earlier_answers, answer);
        self.prompts.extend(prompts);
        self.asked = self.asked.saturating_add(asked);
        bounds::prompts(&mut self.prompts);
        self.plan = plan.or(self.plan.take());
        self.commands.extend(commands);
        bounds::commands(&mut self.commands);

        for file in files {
            self.take_file(file);
        }
        self.failures.extend(failures);
        // What a late outcome came to stands among the earlier things by now, but happened among the later ones.
        if is_order_by_line {
            if self.files.iter().all(|file| file.line.is_some()) {
                self.files.sort_by_key(|file| file.line);
            }
            if self.failures.iter().all(|failure| failure.line.is_some()) {
                self.failures.sort_by_key(|failure| failure.line);
            }
        }
        self.crowded_out.join(&crowded_out);
        for file in self.files.iter().filter(|file| file.changes > 0) {
            self.crowded_out.remove(&file.path);
        }
        bounds::files(&mut self.files, &mut self.crowded_out);
        bounds::failures(&mut self.failures);

        if loose.is_whole_list {
            self.todos = todos;
            self.loose.is_whole_list = true;
            self.loose.unsaid = std::mem::take(&mut loose.unsaid);
        } else {
            for todo in todos {
                let Some(id) = todo.id else { continue };
                let status = (!loose.unsaid.contains(&id)).then_some(todo.status);
                let text = Some(todo.text).filter(|text| !text.is_empty());
                self.change_todo(id, text, status, todo.line);
            }
        }

        self.tokens.sum.take(tokens.sum);
        self.tokens.in_all = tokens.in_all.or(self.tokens.in_all);
        self.counts_earlier |= counts_earlier;
        self.fill = fill.or(self.fill);
        self.compactions += compactions;
        self.seconds = self.seconds.saturating_add(seconds);
        self.turns += turns;
        if loose.ends_earlier_turn {
            match turn {
                Some(Turn::Open) => {}
                Some(Turn::Ended | Turn::Stopped) => self.turns -= 1,
                None => self.loose.ends_earlier_turn = true,
            }
        }
        self.stand(loose.turn.or(turn));
        for (tool, at) in handoff_calls {
            self.call_handoff(&tool, at);
        }
        self.loose.go_on(&mut loose);
    }
}
