/** The catalogue of faults as a page. */
import type { Clients, Fault } from '../../packages/faults/src/fault.ts'
import { FAULT_GROUPS } from '../../packages/faults/src/faults.ts'

export const FAULTS_PAGE = 'docs/reference/faults.md'

const HEAD = `# Faults

What makes clients fail at an MCP server, with the code by which [\`edgeway doctor\`](../guides/when-a-client-does-not-connect.md#the-doctor) reports it. Codes are stable: a code is never given another meaning. \`npm run faults\` writes this page from \`packages/faults/src/\`.

- **Breaks**: the client does not connect, or does not get to its first call. Severity \`error\`.
- **Loses**: the client connects, and a part of the server is unusable. Severity \`error\`.
- **Degrades**: the client works, and worse than it could. Severity \`warning\`.

An entry says what is wrong, what to do, the clients, and the clause. An entry without clients breaks every client. A client that an entry does not name is not known to stumble over the fault. A clause without a document is one of the MCP specification or of MCP Events.
`

export function faultsPage(): string {
  const groups = Object.entries(FAULT_GROUPS).map(([title, faults]) =>
    [
      `## ${title}`,
      ...Object.entries<Fault>(faults).map(([code, fault]) => section(code, fault)),
    ].join('\n\n'),
  )
  return `${[HEAD.trimEnd(), ...groups].join('\n\n')}\n`
}

/** What the page says at its head, and its part on events. */
const OF_MCP = /^MCP(?: Events \(SEP-3415\))?, /

function section(code: string, fault: Fault): string {
  const { meaning, fix, clause, source, breaks, loses, degrades } = fault
  const effects = [
    effectOf('Breaks', breaks === 'all' ? undefined : breaks),
    effectOf('Loses', loses),
    effectOf('Degrades', degrades, breaks !== undefined || loses !== undefined),
    `[${clause.replace(OF_MCP, '')}](${source}).`,
  ]
  return [
    `### \`${code}\``,
    `**${meaning}** ${fix}`,
    effects.filter((text) => text !== '').join(' '),
  ]
    .join('\n\n')
    .replaceAll('*/*', '\\*/\\*')
}

function effectOf(effect: string, clients: Clients | undefined, hasOthers = false): string {
  if (clients === undefined) return ''
  const all = hasOthers ? 'the others' : 'every client'
  return `${effect} ${clients === 'all' ? all : clients.join(', ')}.`
}
