// Measures sides in turn, so that drift of the machine affects all of them.

// `sides` maps names to functions that measure. Resolves with the figures of each round, by name.
export async function inTurn(rounds, sides) {
  const results = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  for (let round = 0; round < rounds; ++round)
    for (const [name, measure] of Object.entries(sides)) results[name].push(await measure());
  return results;
}

// The ratio of the two figures, for each round.
export const ratios = (rounds, others, figure = 'per_second') =>
  rounds.map((round, index) => round[figure] / others[index][figure]);

export const each = (rounds, figure, factor = 1) => rounds.map((round) => round[figure] * factor);
