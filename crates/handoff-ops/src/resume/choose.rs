//! What to show within a budget: the most value for the tokens, whole items only.

/// Something that could be shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    /// The group it is in
    pub(crate) group: usize,
    /// What showing it costs
    pub(crate) cost: usize,
    /// What it is worth to the reader
    pub(crate) value: f64,
}

/// Which candidates to show for at most `budget`, and in which order they would be given up again.
///
/// Each group first gets what it can within its share of the budget, so that none is crowded out by another; what is
/// left goes to whoever offers most for it.
pub(crate) fn choose(candidates: &[Candidate], shares: &[f64], budget: usize) -> Vec<usize> {
    let mut by_worth: Vec<usize> = (0..candidates.len()).collect();
    let worth = |index: &usize| {
        let candidate = &candidates[*index];
        candidate.value / f64::from(u32::try_from(candidate.cost.max(1)).unwrap_or(u32::MAX))
    };
    by_worth.sort_by(|a, b| worth(b).total_cmp(&worth(a)).then(a.cmp(b)));
    let mut chosen = Vec::new();
    let mut is_chosen = vec![false; candidates.len()];
    let mut left = budget;
    for (group, share) in shares.iter().enumerate() {
        let mut room = portion(budget, *share).min(left);
        for &index in by_worth.iter().filter(|index| candidates[**index].group == group) {
            if candidates[index].cost <= room {
                room -= candidates[index].cost;
                left -= candidates[index].cost;
                is_chosen[index] = true;
                chosen.push(index);
            }
        }
    }
    for index in by_worth {
        if !is_chosen[index] && candidates[index].cost <= left {
            left -= candidates[index].cost;
            chosen.push(index);
        }
    }
    // Given up first is what is worth least, whichever round it was chosen in.
    chosen.sort_by(|a, b| candidates[*b].value.total_cmp(&candidates[*a].value).then(a.cmp(b)));
    chosen
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "small numbers"
)]
fn portion(budget: usize, share: f64) -> usize {
    (budget as f64 * share) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(group: usize, cost: usize, value: f64) -> Candidate {
        Candidate { group, cost, value }
    }

    #[test]
    fn the_budget_is_kept_and_the_worthiest_are_shown() {
        let all = [candidate(0, 10, 1.0), candidate(0, 10, 5.0), candidate(0, 100, 9.0), candidate(0, 10, 3.0)];
        assert_eq!(choose(&all, &[1.0], 20), [1, 3]);
        assert_eq!(choose(&all, &[1.0], 9), Vec::<usize>::new());
    }

    #[test]
    fn no_group_crowds_out_another() {
        let mut all = vec![candidate(0, 10, 9.0); 100];
        all.push(candidate(1, 30, 1.0));
        let chosen = choose(&all, &[0.5, 0.5], 100);
        assert!(chosen.contains(&100), "{chosen:?}");
        assert_eq!(chosen.len(), 8, "what the second group left goes to the first");
    }

    #[test]
    fn what_is_worth_least_is_given_up_first() {
        let all = [candidate(0, 1, 1.0), candidate(1, 1, 3.0), candidate(0, 1, 2.0)];
        assert_eq!(choose(&all, &[0.5, 0.5], 10), [1, 2, 0]);
    }
}
