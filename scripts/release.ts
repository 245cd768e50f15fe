/**
 * `npm run release`: prepares the release of the version of `package.json` in the working tree: the first command
 * of README and guides, the button of README, and the changelog. It commits and publishes nothing: the workflow `release.yml` publishes
 * when the tag of the version is pushed.
 *
 * `--dry-run` changes nothing, and prints what would be published: versions, files, changed lines and notes.
 * `--notes` prints the notes of the version alone, as the workflow needs them.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT_DIRECTORY } from './support/project.ts'
import { readFlags } from './support/read-flags.ts'
import {
  notesOf,
  publicRepository,
  START_FILES,
  withDeployButton,
  withPublishedStart,
  withRelease,
} from './support/release-texts.ts'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
}

interface Packed {
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string; readonly size: number }[]
}

/** The folder of each package, in the order in which they are published. */
const PACKAGES = ['.', 'packages/create-edgeway'] as const

const USAGE = 'npm run release -- [--dry-run | --notes]'
const values = readFlags(USAGE, { 'dry-run': { type: 'boolean' }, notes: { type: 'boolean' } })

const read = (path: string) => readFileSync(join(PROJECT_DIRECTORY, path), 'utf8')
const manifestOf = (folder: string) => JSON.parse(read(join(folder, 'package.json'))) as Manifest
const print = (text: string) => process.stdout.write(`${text}\n`)

const { version } = manifestOf('.')
const changelog = read('CHANGELOG.md')

if (values.notes) print(notesOf(changelog, version))
else if (values['dry-run']) show()
else prepare()

function show(): void {
  for (const folder of PACKAGES) {
    const { name, version: own } = manifestOf(folder)
    const packed = pack(folder)
    print(`# ${name}@${own}: ${packed.files.length} files, ${kilobytes(packed.size)} packed\n`)
    for (const { path, size } of packed.files) print(`${kilobytes(size).padStart(10)}  ${path}`)
    print('')
  }
  print('# Changed lines\n')
  for (const { file, before, after } of changedTexts()) {
    print(file)
    for (const line of linesOnlyIn(before, after)) print(`- ${line}`)
    for (const line of linesOnlyIn(after, before)) print(`+ ${line}`)
    print('')
  }
  print(`# Notes\n\n${notesOf(changelog, version)}\n`)
  const missing = problems()
  print(missing.length === 0 ? '# Ready' : `# Not ready\n\n${missing.join('\n')}`)
}

function prepare(): void {
  const missing = problems()
  if (missing.length > 0) {
    process.stderr.write(`Not ready:\n${missing.join('\n')}\n`)
    process.exit(1)
  }
  const date = new Date().toISOString().slice(0, 10)
  const released = withRelease(changelog, version, date)
  for (const { file, after } of changedTexts()) write(file, after)
  write('CHANGELOG.md', released)
  print(`Prepared ${version}. Look at the changes, then:

  git commit --all --message "release: ${version}"
  git tag v${version}
  git push origin HEAD v${version}`)
}

/** What prevents the release. */
function problems(): readonly string[] {
  const create = manifestOf('packages/create-edgeway')
  return [
    ...(create.version === version
      ? []
      : [`create-edgeway has the version ${create.version}, and edgeway ${version}`]),
    ...(create.dependencies?.edgeway === version
      ? []
      : [`create-edgeway depends on edgeway ${create.dependencies?.edgeway}`]),
    ...(existsSync(join(PROJECT_DIRECTORY, 'test/upgrade/releases', version))
      ? []
      : [`test/upgrade/releases has no ${version}: npm run record-release`]),
  ]
}

function changedTexts() {
  const repository = publicRepository(originOfClone())
  return START_FILES.map((file) => {
    const before = read(file)
    const started = withPublishedStart(before)
    const hasButton = file === 'README.md' && repository !== undefined
    return { file, before, after: hasButton ? withDeployButton(started, repository) : started }
  })
}

/** The address of the remote `origin`, empty without one. */
function originOfClone(): string {
  const { stdout } = spawnSync('git', ['remote', 'get-url', 'origin'], {
    cwd: PROJECT_DIRECTORY,
    encoding: 'utf8',
  })
  return stdout ?? ''
}

function linesOnlyIn(text: string, other: string): readonly string[] {
  const lines = new Set(other.split('\n'))
  return text.split('\n').filter((line) => !lines.has(line))
}

/** Runs the build that precedes a publication, and writes no tarball. */
function pack(folder: string): Packed {
  const output = execFileSync('npm', ['pack', '--dry-run', '--json'], {
    cwd: join(PROJECT_DIRECTORY, folder),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // Scripts of the package print before it.
  const [packed] = JSON.parse(output.slice(output.indexOf('[\n'))) as Packed[]
  if (packed === undefined) throw new Error(`npm packs nothing in ${folder}`)
  return packed
}

function write(path: string, text: string): void {
  writeFileSync(join(PROJECT_DIRECTORY, path), text)
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} KB`
}
