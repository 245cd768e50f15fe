/** The catalogue of directory faults as a page. */
import type { DirectoryFault, DirectoryRule } from '../../packages/publish/src/directories/fault.ts'
import { DIRECTORY_FAULT_GROUPS } from '../../packages/publish/src/directories/faults.ts'
import { DIRECTORY_NAMES } from '../../packages/publish/src/directories/names.ts'

export const DIRECTORY_FAULTS_PAGE = 'docs/reference/directory-faults.md'

const HEAD = `# Directory faults

Why directories refuse a server, with the code by which [\`edgeway doctor --for\`](../guides/directories.md#examine-a-server) reports it. Codes are stable: a code is never given another meaning. \`npm run faults\` writes this page from \`packages/publish/src/directories/\`. [Faults](faults.md) lists what makes clients fail.

- **Refuses**: the directory does not accept the server. Severity \`error\`.
- **Advises**: the directory accepts the server, and its reviewers may ask. Severity \`warning\`.

A directory that is in none of them has no such rule. A sign that proves nothing is a warning in every directory.
`

export function directoryFaultsPage(): string {
  const groups = Object.entries(DIRECTORY_FAULT_GROUPS).map(([title, faults]) =>
    [
      `## ${title}`,
      ...Object.entries<DirectoryFault>(faults).map(([code, fault]) => section(code, fault)),
    ].join('\n\n'),
  )
  return `${[HEAD.trimEnd(), ...groups].join('\n\n')}\n`
}

function section(code: string, { meaning, fix, directories }: DirectoryFault): string {
  const rules = DIRECTORY_NAMES.flatMap((name) => {
    const rule = directories[name]
    return rule === undefined ? [] : `- \`${name}\` ${line(rule)}`
  })
  return [`### \`${code}\``, plain(meaning), `**Fix:** ${plain(fix)}`, rules.join('\n')].join(
    '\n\n',
  )
}

const line = ({ severity, clause, source }: DirectoryRule) =>
  `${severity === 'error' ? 'refuses' : 'advises'}: [${plain(clause)}](${source})`

/** Signs that Markdown would read. */
const plain = (text: string) => text.replaceAll('_', '\\_').replaceAll('*', '\\*')
