// Where operators ask a gateway.

// As its log says.
export function operatorsUrl({ log }) {
  const lines = log.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  return lines.find(({ msg }) => msg === 'listening for operators').url;
}
