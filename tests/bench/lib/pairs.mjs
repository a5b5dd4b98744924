// Sides that are measured in turn, so that a machine that drifts drifts for all of them.

// sides: name → what gives its figures. Resolves with name → figures of each round.
export async function inTurn(rounds, sides) {
  const results = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  for (let round = 0; round < rounds; ++round)
    for (const [name, measure] of Object.entries(sides)) results[name].push(await measure());
  return results;
}

// Round by round, how many times the figure of the other it is.
export const ratios = (rounds, others, figure = 'per_second') =>
  rounds.map((round, index) => round[figure] / others[index][figure]);

export const each = (rounds, figure, factor = 1) => rounds.map((round) => round[figure] * factor);
