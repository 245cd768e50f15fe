/** Compares the committed contract with the present one. */
import { printable } from '../../../../text/src/terminal-text.ts'
import { type Contract, nameOf, type ServerContract } from '../contract.ts'
import { isPathOf } from '../path-pattern.ts'
import { additive, breaking, type Change, type Difference, textual } from './difference.ts'
import { listChanges } from './lists.ts'
import { isChanged, otherMembers } from './members.ts'

export interface CompareOptions {
  /** As `YYYY-MM-DD`: a deprecated tool whose date has passed may be removed. */
  readonly today: string
}

export function compareContracts(
  committed: Contract,
  present: Contract,
  options: CompareOptions,
): readonly Difference[] {
  const pairs = pairsOf(committed.servers, present.servers)
  const added = present.servers.filter((server) => !pairs.some(([, other]) => other === server))
  return [
    ...pairs.flatMap(([before, after]) =>
      after === undefined
        ? [ofServer(before, breaking('is removed'))]
        : serverDifferences(before, after, options),
    ),
    ...added.map((server) => ofServer(server, additive('is new'))),
  ]
}

/** A server keeps its identity at a path, under any name. One whose paths have all changed keeps its audience. */
function pairsOf(
  committed: readonly ServerContract[],
  present: readonly ServerContract[],
): readonly (readonly [ServerContract, ServerContract | undefined])[] {
  const sharesPath = (before: ServerContract, after: ServerContract) =>
    before.paths.some((path) => patternOf(after, path) !== undefined)
  const moved = present.filter((one) => !committed.some((other) => sharesPath(other, one)))
  return committed.map((server) => [
    server,
    // The exact path of a server goes before the pattern of another one, as in the router.
    present.find(({ paths }) => paths.some((path) => server.paths.includes(path))) ??
      present.find((other) => sharesPath(server, other)) ??
      moved.find(({ audience }) => audience === server.audience),
  ])
}

const ofServer = (server: ServerContract, change: Change): Difference => ({
  server: nameOf(server),
  subject: 'server',
  ...change,
})

function serverDifferences(
  before: ServerContract,
  after: ServerContract,
  options: CompareOptions,
): readonly Difference[] {
  const own: Change[] = otherMembers(before.info.definition, after.info.definition, []).slice()
  if (isChanged(before.audience, after.audience)) own.push(textual('is another', 'audience'))
  for (const path of before.paths) {
    const pattern = patternOf(after, path)
    if (pattern === undefined) own.push(breaking('is not served any more', `path ${path}`))
    else if (pattern !== path) own.push(textual(`is one of ${pattern} now`, `path ${path}`))
  }
  for (const path of after.paths) {
    if (!before.paths.includes(path)) own.push(additive('is served too', `path ${path}`))
  }
  return [
    ...own.map((change) => ofServer(after, change)),
    ...withOneDialect(
      after,
      listChanges(before, after, options).map(({ subject, ...change }) => ({
        server: nameOf(after),
        subject,
        ...change,
      })),
    ),
  ]
}

const OTHER_DIALECT = 'has another $schema'

/** A library writes all of its schemas in one dialect, so another one is a difference of the server. */
function withOneDialect(
  server: ServerContract,
  differences: readonly Difference[],
): readonly Difference[] {
  const count = differences.filter(({ text }) => text === OTHER_DIALECT).length
  if (count < 2) return differences
  return [
    ofServer(server, textual(`is another in ${count} schemas`, '$schema')),
    ...differences.filter(({ text }) => text !== OTHER_DIALECT),
  ]
}

/** The pattern by which a server answers at all paths of another one. */
const patternOf = ({ paths }: ServerContract, path: string): string | undefined =>
  paths.find((one) => one === path) ?? paths.find((one) => isPathOf(one, path))

/** A difference as one sentence: `tool "search": argument limit is required now`. */
export function differenceText({ subject, at, text }: Difference): string {
  const place = at === undefined ? '' : `: ${printable(at, 200)}`
  return `${subject}${place} ${text}`
}
