/** The pages whose clauses the catalogue of directory faults cites. */
import type { DirectoryRule } from './fault.ts'

type Severity = DirectoryRule['severity']

/** Cites a page of one directory, for a rule of this severity. */
type Cite<Page extends string> = (clause: string, page: Page, severity?: Severity) => DirectoryRule

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

const cite =
  <Pages extends Readonly<Record<string, string>>>(
    directory: string,
    pages: Pages,
  ): Cite<keyof Pages & string> =>
  (clause, page, severity = 'error') => ({
    severity,
    clause: `${directory}, ${clause}`,
    source: pages[page] as string,
  })

export const claude = cite('Claude connectors directory', CLAUDE_PAGES)
export const openai = cite('OpenAI plugins directory', OPENAI_PAGES)
export const registry = cite('MCP registry', REGISTRY_PAGES)

/** The same page, as advice. */
export const advice = (rule: DirectoryRule): DirectoryRule => ({ ...rule, severity: 'warning' })
