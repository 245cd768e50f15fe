/** The catalogue of directory faults as a page. */
import type { DirectoryFault, DirectoryRule } from '../../packages/publish/src/directories/fault.ts'
import { DIRECTORY_FAULT_GROUPS } from '../../packages/publish/src/directories/faults.ts'
import {
  DIRECTORY_NAMES,
  type DirectoryName,
} from '../../packages/publish/src/directories/names.ts'
import { DIRECTORY_TITLES } from '../../packages/publish/src/directories/sources.ts'

export const DIRECTORY_FAULTS_PAGE = 'docs/reference/directory-faults.md'

const HEAD = `# Directory faults

Why directories refuse a server, with the code by which [\`edgeway doctor --for\`](../guides/directories.md#examine-a-server) reports it. Codes are stable: a code is never given another meaning. \`npm run faults\` writes this page from \`packages/publish/src/directories/\`. [Faults](faults.md) lists what makes clients fail.

- **Refuses**: the directory does not accept the server. Severity \`error\`.
- **Advises**: the directory accepts the server, and its reviewers may ask. Severity \`warning\`.

An entry says what is wrong and what to do. Its rules are those at the head of its part, unless it names its own. A directory that is in none of them has no such rule. A sign that proves nothing is a warning in every directory.
`

export function directoryFaultsPage(): string {
  return `${[HEAD.trimEnd(), ...Object.entries(DIRECTORY_FAULT_GROUPS).map(part)].join('\n\n')}\n`
}

function part([title, faults]: readonly [
  string,
  Readonly<Record<string, DirectoryFault>>,
]): string {
  const common = mostOf(Object.values(faults).map(rulesOf))
  return [
    `## ${title}`,
    common,
    ...Object.entries(faults).map(([code, fault]) => section(code, fault, common)),
  ].join('\n\n')
}

function section(code: string, fault: DirectoryFault, common: string): string {
  const text = [`### \`${code}\``, `**${plain(fault.meaning)}** ${plain(fault.fix)}`]
  const rules = rulesOf(fault)
  return [...text, ...(rules === common ? [] : [rules])].join('\n\n')
}

function rulesOf({ directories }: DirectoryFault): string {
  return (['error', 'warning'] as const)
    .map((severity) => {
      const rules = DIRECTORY_NAMES.flatMap((name) => {
        const rule = directories[name]
        return rule?.severity === severity ? [`\`${name}\` (${link(name, rule)})`] : []
      })
      return rules.length === 0 ? '' : `${EFFECTS[severity]}: ${rules.join(', ')}.`
    })
    .filter((text) => text !== '')
    .join(' ')
}

const EFFECTS = { error: 'Refuses', warning: 'Advises' } as const

/** The name says the directory, so its title is left out of the clause. */
const link = (name: DirectoryName, { clause, source }: DirectoryRule) =>
  `[${plain(clause.replace(`${DIRECTORY_TITLES[name]}, `, ''))}](${source})`

function mostOf(texts: readonly string[]): string {
  const counted = Map.groupBy(texts, (text) => text)
  const [most] = [...counted].sort(([, a], [, b]) => b.length - a.length)
  return most?.[0] ?? ''
}

/** Signs that Markdown would read. */
const plain = (text: string) => text.replaceAll('_', '\\_').replaceAll('*', '\\*')
