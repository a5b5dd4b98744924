// Commands of the pages that the tests do not run, each with the reason. All other commands are run and must succeed.
// An entry that matches no page fails, too.

const BUILDS = 'builds, and installs packages as root: deploy/test has done that before this test runs';
const LIFE = 'root, systemd and packages: tests/package/life runs it in a container';
const UNIT = 'root and systemd: systemd.test.mjs runs the unit';
const DOCKER = 'a Docker: image.test.mjs does it where there is one';
const PROMETHEUS =
  'root, and the machine\'s own Prometheus: metrics.test.mjs and metrics-names.test.mjs have these files read';
const UPGRADE = 'any gateway of this machine could be meant: upgrade.test.mjs has its own take over';
const CLAUDE = 'Claude Code, which the tests do not have: first-use.test.mjs has an official client take the URL in it';

export const NOT_RUN = {
  'README.md': {
    'deploy/run': BUILDS,
    'deploy/run -- npx -y @modelcontextprotocol/server-everything': BUILDS,
    'deploy/test': 'runs all tests, this one too',
    'deploy/test --quick': 'builds, and runs tests of which this is one',
  },
  'start.md': {
    'deploy/run --version': BUILDS,
    'sudo cmake --install build/release': `root; ${LIFE}, as packages`,
    'npm install @modelcontextprotocol/server-{filesystem,memory,sequential-thinking,everything}':
      'the registry of npm: the folder gets the packages that the tests have',
    'claude mcp add --transport http troupe http://127.0.0.1:8080/mcp': CLAUDE,
    'claude mcp add --transport http nodes http://127.0.0.1:8081/mcp': CLAUDE,
  },
  'nodes.md': {
    'sudo nginx -c "$PWD/nginx.conf"': 'root, and the machine\'s own nginx: an nginx of the test\'s own runs the file',
  },
  'deploying.md': {
    'kill -USR2 "$(pgrep --oldest --exact troupe)"': UPGRADE,
    'systemctl kill --kill-whom=main --signal=USR2 troupe': UPGRADE,
    'cmake --install build/release --prefix /usr': `root; ${LIFE}, as packages`,
    'install -D -m 644 deploy/example.mcp.json /etc/troupe/mcp.json': UNIT,
    'install -m 644 deploy/troupe.service deploy/troupe.socket /etc/systemd/system/': UNIT,
    'troupe key new me | tee /dev/stderr | tail -n 1 >> /etc/troupe/keys': UNIT,
    'systemctl enable --now troupe.socket troupe': UNIT,
    'deploy/package': LIFE,
    'sudo apt install ./build/package/troupe_*.deb': LIFE,
    'troupe key new me | tee /dev/stderr | tail -n 1 | sudo tee -a /etc/troupe/keys >/dev/null': LIFE,
    'sudo editor /etc/troupe/mcp.json && troupe check /etc/troupe/mcp.json && sudo systemctl reload troupe': LIFE,
    'docker build --tag troupe:VERSION --file deploy/Dockerfile .': DOCKER,
    'docker build --tag troupe:VERSION-runtimes --target runtimes --file deploy/Dockerfile .': DOCKER,
    'docker run --rm troupe:VERSION key new me | tee /dev/stderr | tail -n 1 >> keys': DOCKER,
    [`docker run --publish 127.0.0.1:8080:8080 --volume "$PWD/keys:/etc/troupe/keys:ro" --read-only --tmpfs /tmp \\
  --cap-drop ALL --security-opt no-new-privileges troupe:VERSION-runtimes \\
  serve --host 0.0.0.0 --keys /etc/troupe/keys -- npx -y @modelcontextprotocol/server-everything`]: DOCKER,
    'helm upgrade --install troupe deploy/helm/troupe --values my-values.yaml':
      'a Kubernetes: followed.test.mjs has Helm render the chart with these values',
  },
  'operators.md': {
    'apt-get install prometheus': PROMETHEUS,
    'install -m 644 deploy/prometheus/prometheus.yml deploy/prometheus/alerts.yml /etc/prometheus/': PROMETHEUS,
    'install -m 600 -o prometheus admin.token /etc/prometheus/troupe.token': PROMETHEUS,
    'promtool check config /etc/prometheus/prometheus.yml': PROMETHEUS,
    'systemctl restart prometheus': PROMETHEUS,
    [`jq '{dashboard: ., overwrite: true}' deploy/prometheus/dashboard.json |
  curl -sS -u admin -H 'Content-Type: application/json' -d @- http://127.0.0.1:3000/api/dashboards/db`]:
      'a Grafana, and its password',
  },
};

// The command without its version number.
export const withoutVersion = ({ command }) => command.replaceAll(/\btroupe:\d+\.\d+\.\d+/g, 'troupe:VERSION');

export const isRun = (page, one) => !Object.hasOwn(NOT_RUN[page] ?? {}, withoutVersion(one));
