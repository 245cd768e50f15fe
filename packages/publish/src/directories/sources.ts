/** The pages whose clauses the catalogue of directory faults cites. */
import type { DirectoryRule, DirectoryRules } from './fault.ts'
import type { DirectoryName } from './names.ts'

type Severity = DirectoryRule['severity']

/** Cites a page of one directory, for a rule of this severity. */
type Cite<Page extends string> = (clause: string, page: Page, severity?: Severity) => DirectoryRules

const CLAUDE_PAGES = {
  review: 'https://claude.com/docs/connectors/building/review-criteria',
  submission: 'https://claude.com/docs/connectors/building/submission',
  authentication: 'https://claude.com/docs/connectors/building/authentication',
} as const

const OPENAI_PAGES = {
  errors: 'https://developers.openai.com/plugins/deploy/submission-errors',
  submission: 'https://developers.openai.com/plugins/deploy/submission',
  review: 'https://developers.openai.com/plugins/deploy/app-review',
  guidelines: 'https://developers.openai.com/apps-sdk/app-submission-guidelines',
  events: 'https://developers.openai.com/plugins/build/mcp-events',
} as const

const REGISTRY = 'https://github.com/modelcontextprotocol/registry/blob/main/docs'
const REGISTRY_PAGES = {
  format: `${REGISTRY}/reference/server-json/generic-server-json.md`,
  requirements: `${REGISTRY}/reference/server-json/official-registry-requirements.md`,
  authentication: `${REGISTRY}/reference/cli/commands.md`,
  publishing: `${REGISTRY}/guides/publishing/publish-server.md`,
  card: 'https://github.com/modelcontextprotocol/experimental-ext-server-card',
} as const

/** The first words of each clause. */
export const DIRECTORY_TITLES: Readonly<Record<DirectoryName, string>> = {
  'claude-directory': 'Claude connectors directory',
  'openai-plugins': 'OpenAI plugins directory',
  'mcp-registry': 'MCP registry',
}

const cite =
  <Pages extends Readonly<Record<string, string>>>(
    name: DirectoryName,
    pages: Pages,
  ): Cite<keyof Pages & string> =>
  (clause, page, severity = 'error') => ({
    [name]: {
      severity,
      clause: `${DIRECTORY_TITLES[name]}, ${clause}`,
      source: pages[page] as string,
    },
  })

export const claude = cite('claude-directory', CLAUDE_PAGES)
export const openai = cite('openai-plugins', OPENAI_PAGES)
export const registry = cite('mcp-registry', REGISTRY_PAGES)

/** The same rules, as advice. */
export const advice = (rules: DirectoryRules): DirectoryRules =>
  Object.fromEntries(
    Object.entries(rules).map(([name, rule]) => [name, { ...rule, severity: 'warning' }]),
  )
