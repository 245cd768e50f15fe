/** The texts that a release changes: the first command of README and guides, and the changelog. Pure. */

/** Commands from a clone and what is said of them, each with what takes its place when the packages are on npm. */
const COMMANDS: readonly (readonly [clone: string, published: string])[] = [
  ['In a clone of this repository, the first command packs Edgeway into the new folder.\n\n', ''],
  [
    '`npm run create` runs in a clone of the repository of Edgeway; `npm create edgeway` and `npx edgeway init` are the same command for the published package. It asks',
    '`npx edgeway init` is the same command as `npm create edgeway`. It asks',
  ],
  [
    'npm ci && npm run create -- ../my-server && cd ../my-server',
    'npm create edgeway my-server && cd my-server',
  ],
  [', in a clone of this repository:', ':'],
  [
    ' A folder that `npm run create` has written contains Edgeway as a tarball, so npm also names its script `prepare` (`install-scripts`): nothing is to be approved.',
    '',
  ],
  [
    '; in place of `edgeway`, the path of the file that `npm pack` writes in a clone of the repository.',
    '.',
  ],
  [
    'npm ci && npm run create -- ../my-server --auth',
    'npm create --yes edgeway@latest my-server -- --auth',
  ],
  ['npm run create -- ../my-server --auth', 'npm create edgeway my-server -- --auth'],
  // The skills.
  [
    'Edgeway is not on npm yet: run this in a clone of its repository. The first command packs it into the new folder.\n\n',
    '',
  ],
  ['cd ../my-server\n', 'cd my-server\n'],
  [
    'Edgeway is not on npm yet: in a project that has it installed, the command is `npx edgeway doctor` and the URL. Anywhere else, run this in a clone of its repository, after `npm ci`.\n\n',
    '',
  ],
  ['npm run edgeway -- doctor http', 'npx --yes edgeway@latest doctor http'],
  [
    'Edgeway is not on npm yet: `npm ci && npm pack` in a clone of its repository writes the file that the first command names. Take its path.\n\n',
    '',
  ],
  ['npm install ../edgeway/edgeway-0.1.0.tgz', 'npm install edgeway'],
]

/** Files with these commands. */
export const START_FILES = [
  'README.md',
  'docs/guides/getting-started.md',
  'skills/edgeway-build-a-server/SKILL.md',
  'skills/edgeway-find-connection-fault/SKILL.md',
  'skills/edgeway-move-a-server/SKILL.md',
] as const

/** Replaces the commands. After the first release there is nothing to replace. */
export function withPublishedStart(text: string): string {
  return COMMANDS.reduce((all, [clone, published]) => all.replaceAll(clone, published), text)
}

const UNRELEASED = '## Unreleased'

/** The notes of a version, and before its release those that are to be released. */
export function notesOf(changelog: string, version: string): string {
  const section = sectionOf(changelog, `## ${version} – `) ?? sectionOf(changelog, UNRELEASED)
  if (section === undefined) throw new Error(`CHANGELOG.md has no section of ${version}`)
  return section
}

/**
 * Gives the unreleased changes the version and the date.
 *
 * @param date such as `2026-11-25`
 * @throws {Error} for a version that the changelog has, and for one without changes
 */
export function withRelease(changelog: string, version: string, date: string): string {
  if (sectionOf(changelog, `## ${version} – `) !== undefined) {
    throw new Error(`CHANGELOG.md has a section of ${version}: it was released`)
  }
  const changes = sectionOf(changelog, UNRELEASED)
  if (changes === undefined || changes === '') {
    throw new Error('CHANGELOG.md has no unreleased changes')
  }
  return changelog.replace(`${UNRELEASED}\n`, `${UNRELEASED}\n\n## ${version} – ${date}\n`)
}

/** The text below a heading, up to the next one of its level. Undefined where there is no such heading. */
function sectionOf(changelog: string, heading: string): string | undefined {
  const lines = changelog.split('\n')
  const start = lines.findIndex((line) => line.startsWith(heading))
  if (start === -1) return undefined
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith('## '))
  return lines
    .slice(start + 1, length === -1 ? undefined : start + 1 + length)
    .join('\n')
    .trim()
}
