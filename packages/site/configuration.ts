/** The configuration reference: every option and limit with its docstring. */
import type { DeclarationReflection, ProjectReflection } from 'typedoc'

/** The interfaces of the configuration, with the place where each is given. */
const GROUPS: readonly (readonly [name: string, place: string])[] = [
  ['EdgewayOptions', '`createEdgeway(server, { … })`'],
  ['Limits', '`createEdgeway(server, { limits: { … } })`'],
  ['AsksOptions', '`features: [asks({ … })]`'],
  ['SessionsOptions', '`features: [sessions({ … })]`'],
  ['TasksOptions', '`features: [tasks({ … })]`'],
  ['ChangesOptions', '`features: [changes({ … })]`'],
  ['StateOptions', '`features: [state({ … })]`'],
  ['FilesOptions', '`features: [files({ … })]`'],
  ['ConnectionsOptions', '`connections(services, { … })`'],
  ['OAuthOptions', '`connections({ slack: oauth({ … }) })`'],
  ['RateLimitOptions', '`features: [rateLimits({ … })]`'],
  ['LandingPageOptions', '`features: [landingPage({ … })]`'],
  ['ServerCardOptions', '`features: [serverCard({ … })]`'],
  ['ProofOptions', '`features: [proofs({ … })]`'],
  ['HealthOptions', '`features: [health({ … })]`'],
  ['TimelineOptions', '`features: [timeline({ … })]`'],
  ['AdminOptions', '`features: [admin({ … })]`'],
  ['FactoryOptions', '`createEdgeway(factory, { … })`'],
  ['McpServerOptions', '`createServer({ name, version, … })`'],
  ['ToolConfig', '`server.registerTool(name, { … }, handler)`'],
  ['TaskOptions', '`task: { … }` of a tool'],
  ['EmbeddedOptions', '`embedded({ … })`'],
  ['AuthLimits', '`embedded({ limits: { … } })`'],
  ['GrantCheckAges', '`embedded({ grantChecks: { … } })`'],
  ['ExternalOptions', '`external({ … })`'],
  ['VerifierOptions', '`verifier(verify, { … })`'],
]

const BINDINGS = `## Bindings

| binding | needed by | without the binding |
| --- | --- | --- |
| \`MCP_OBJECTS\`, [the class \`McpObjects\`](../guides/features.md#the-class-of-the-objects) | \`asks()\`, \`sessions()\`, \`tasks()\`, \`changes()\`, \`events()\`, \`state()\`, \`files()\`, \`connections()\`, \`timeline()\`, \`inspector()\`, \`embedded()\` | [what each feature does](../guides/features.md#when-a-feature-is-missing) |
| \`MCP_FILES\`, a bucket of R2 | \`files()\` | files have at most 32 MiB |
| \`MCP_LIMIT_<CLASS>\`, a rate limiting binding | \`rateLimits()\` | each isolate counts for itself |

## Variables and secrets

| name | meaning |
| --- | --- |
| \`EDGEWAY_ORIGIN\` | [the origins of the server](../guides/deploying.md#the-origin), or \`development\` |
| \`EDGEWAY_JURISDICTION\` | the option \`jurisdiction\`: [where data is stored](../guides/deploying.md#where-data-is-stored) |
| \`EDGEWAY_SECRET\`, a secret | replaces [the keys of the keyring](../operations.md#keys) that seal |
`

const oneLine = (text: string) => text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '\\|')

function summaryOf(member: DeclarationReflection): string {
  const parts = member.comment?.summary ?? member.signatures?.[0]?.comment?.summary ?? []
  return oneLine(parts.map(({ text }) => text).join(''))
}

const typeOf = (member: DeclarationReflection) =>
  member.signatures === undefined ? `${member.type}` : 'function'

function table(members: readonly DeclarationReflection[]): string {
  const rows = members.map(
    (member) => `| \`${member.name}\` | \`${oneLine(typeOf(member))}\` | ${summaryOf(member)} |`,
  )
  return ['| name | type | meaning |', '| --- | --- | --- |', ...rows].join('\n')
}

/** @throws {Error} if an interface of the configuration is not exported, or a member has no docstring */
export function configurationPage(project: ProjectReflection): string {
  const sections = GROUPS.map(([name, place]) => {
    // Each entry of the package is a module of the project.
    const found = project.children?.flatMap((entry) => entry.getChildByName([name]) ?? [])
    const members = (found?.[0] as DeclarationReflection | undefined)?.children ?? []
    if (members.length === 0) throw new Error(`The package exports no interface ${name}.`)
    const bare = members.filter((member) => summaryOf(member) === '').map(({ name }) => name)
    if (bare.length > 0) throw new Error(`Members of ${name} have no docstring: ${bare.join(', ')}`)
    return `## ${name}\n\nWhere: ${place}.\n\n${table(members)}\n`
  })
  const head =
    '# Configuration\n\nEvery option with its type, unit and default. All are optional unless the text says otherwise.\n'
  return [head, BINDINGS, ...sections].join('\n')
}
