import type { RequirementDocument } from './requirement.ts'

const PAGE =
  'https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx'
const at = (anchor: string) => [`${PAGE}#${anchor}`]

const REGISTRATION = 'test/server/apps.test.ts > registerTool with a malformed user interface'
const TOOL = 'test/dispatch/apps.test.ts > a tool with a user interface'
const BRIDGE = 'test/browser/apps.test.ts > the view of note_view in the official host bridge'

/** The extension `io.modelcontextprotocol/ui`. */
export const apps: RequirementDocument = {
  title: 'MCP Apps (extension)',
  pages: [PAGE],
  requirements: [
    {
      id: 'address-of-a-view',
      level: 'MUST',
      clauses: [...at('ui-resource-format'), ...at('content-requirements')],
      says: 'The server gives each view an address that begins with ui://.',
      tests: [`${REGISTRATION} > refuses %s > an address of another scheme`],
    },
    {
      id: 'type-of-a-view',
      level: 'MUST',
      clauses: at('content-requirements'),
      says: 'The server returns a view with the type text/html;profile=mcp-app.',
      tests: [`${TOOL} > has a view that is read in %s with its settings`],
    },
    {
      id: 'content-of-a-view',
      level: 'MUST',
      clauses: at('content-requirements'),
      says: 'The server returns the document of a view as text or blob.',
      tests: [`${TOOL} > has a view that is read in %s with its settings`],
    },
    {
      id: 'view-is-a-document',
      level: 'MUST',
      clauses: at('content-requirements'),
      says: 'The server returns a valid document of HTML as a view.',
      tests: [
        `${REGISTRATION} > refuses %s > a fragment of HTML`,
        'test/dispatch/apps.test.ts > a view that a function builds > is not served where it is %s, and telemetry has the reason',
      ],
      deviation:
        'Only the beginning of the document is checked: the rest is as the author wrote it.',
    },
    {
      id: 'view-exists',
      level: 'MUST',
      clauses: at('behavior'),
      says: 'The server answers every address that a tool names.',
      tests: [
        'test/server/apps.test.ts > createEdgeway with a tool that names a view > refuses an address that no resource answers',
      ],
    },
    {
      id: 'view-is-read',
      level: 'MUST',
      clauses: at('behavior'),
      says: 'The host reads a view with resources/read.',
      concerns: 'host',
    },
    {
      id: 'policy-is-built-from-declared-domains',
      level: 'MUST',
      clauses: [...at('host-behavior'), ...at('4-content-security-policy-enforcement')],
      says: 'The host builds the policy of a view from the declared domains, and a restrictive one where none are declared.',
      concerns: 'host',
    },
    {
      id: 'undeclared-domains-are-blocked',
      level: 'MUST NOT',
      clauses: [...at('host-behavior'), ...at('4-content-security-policy-enforcement')],
      says: 'The host allows no domain that the server has not declared.',
      concerns: 'host',
    },
    {
      id: 'tools-of-views-are-hidden',
      level: 'MUST NOT',
      clauses: at('visibility'),
      says: 'The host gives the model no tool whose visibility lacks model.',
      concerns: 'host',
    },
    {
      id: 'tools-of-the-model-are-refused',
      level: 'MUST',
      clauses: at('visibility'),
      says: 'The host rejects a call of a view to a tool whose visibility lacks app.',
      concerns: 'host',
    },
    {
      id: 'result-has-content',
      level: 'MUST',
      clauses: at('server-behavior'),
      says: 'A tool with a view returns content that has a meaning without the view.',
      tests: [
        `${TOOL} > is called in %s as any other tool`,
        `${TOOL} > sends the data of its view as text too in %s, so that content is never empty`,
      ],
      concerns: 'author',
    },
    {
      id: 'domain-of-a-view',
      level: 'MUST',
      clauses: at('ui-resource-format'),
      says: 'The author writes the domain of a view in the form that the host documents.',
      concerns: 'author',
    },
    {
      id: 'client-names-its-types',
      level: 'MUST',
      clauses: at('client-host-capabilities'),
      says: 'A client that declares the extension names the types of views that it shows.',
      tests: [
        'test/dispatch/apps.test.ts > ctx.client.showsViews > is what a modern client with %s declares',
      ],
      concerns: 'client',
    },
    {
      id: 'sandbox-of-a-view',
      level: 'MUST',
      clauses: [...at('sandbox-proxy'), ...at('1-iframe-sandboxing')],
      says: 'The host shows a view in a sandboxed frame, and a web page through a proxy of another origin.',
      concerns: 'host',
    },
    {
      id: 'view-initializes-first',
      level: 'MUST NOT',
      clauses: at('sandbox-proxy'),
      says: 'The host sends nothing to a view before the view has initialized.',
      concerns: 'host',
    },
    {
      id: 'view-declares-its-capabilities',
      level: 'MUST',
      clauses: at('app-capabilities-in-uiinitialize'),
      says: 'A view sends its capabilities with ui/initialize.',
      tests: [`${BRIDGE} > shows the title of the arguments, and then that of the result`],
      concerns: 'author',
    },
    {
      id: 'flexible-frame-follows-the-view',
      level: 'MUST',
      clauses: at('host-behavior-1'),
      says: 'The host gives a frame of flexible size the size that the view reports.',
      concerns: 'host',
    },
    {
      id: 'view-declares-display-modes',
      level: 'MUST',
      clauses: at('requirements'),
      says: 'A view declares its display modes, requests only a mode that the host has, and accepts another one.',
      concerns: 'author',
    },
    {
      id: 'host-keeps-to-declared-display-modes',
      level: 'MUST NOT',
      clauses: at('requirements'),
      says: 'The host shows a view in no display mode that the view has not declared.',
      concerns: 'host',
    },
    {
      id: 'host-answers-with-the-display-mode',
      level: 'MUST',
      clauses: at('requirements'),
      says: 'The host answers ui/request-display-mode with the resulting mode.',
      concerns: 'host',
    },
    {
      id: 'host-sends-arguments-and-result',
      level: 'MUST',
      clauses: at('notifications-host--view'),
      says: 'The host sends a view the complete arguments, no partial ones after them, and then the result or the cancellation.',
      concerns: 'host',
    },
    {
      id: 'partial-arguments-are-not-critical',
      level: 'MUST NOT',
      clauses: at('notifications-host--view'),
      says: 'A view relies on no partial arguments for what is critical.',
      concerns: 'author',
    },
    {
      id: 'host-announces-the-teardown',
      level: 'MUST',
      clauses: at('notifications-host--view'),
      says: 'The host sends ui/resource-teardown before it removes a view.',
      concerns: 'host',
    },
  ],
}
