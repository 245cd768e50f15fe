/**
 * How a new server depends on Edgeway: on the version of the registry, or, where this build is not from the
 * registry (a checkout, a tarball), on a tarball of it, which is written beside the other files.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inTemporaryFolder } from '../../../text/src/files/temporary-folder.ts'
import { PACKAGE_ROOT } from '../../../text/src/package-root.ts'
import { printable } from '../../../text/src/terminal-text.ts'
import { version } from '../../../text/src/version.ts'

export interface EdgewayPackage {
  /** As `package.json` names it. */
  readonly specifier: string
  readonly tarball?: { readonly name: string; readonly bytes: Uint8Array }
}

export async function edgewayPackage(root = PACKAGE_ROOT): Promise<EdgewayPackage> {
  const isCheckout = existsSync(join(root, 'scripts/build.ts'))
  if (!isCheckout && !isFromFile(root)) return { specifier: `^${version}` }
  return inTemporaryFolder('edgeway-pack-', async (directory) => {
    // The scripts of a checkout build it. An installed package has been built.
    const scripts = `--ignore-scripts=${!isCheckout}`
    const { stdout } = await promisify(execFile)(
      'npm',
      ['pack', '--json', '--pack-destination', directory, scripts],
      { cwd: root, shell: process.platform === 'win32' },
    ).catch((cause) => {
      const { stderr, message } = cause as Error & { readonly stderr?: string }
      const why = printable(stderr?.trim() || message, 600)
      throw new Error(`npm cannot pack Edgeway in ${root}: ${why}. Nothing was written.`, { cause })
    })
    const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[\n')))
    const bytes = readFileSync(join(directory, filename))
    const name = String(filename).replace(
      /\.tgz$/,
      `-${await buildOf(root, isCheckout, bytes)}.tgz`,
    )
    return { specifier: `file:${name}`, tarball: { name, bytes } }
  })
}

/**
 * Which build of a version it is: the commit of the checkout, and a digest of the content. npm keeps what it has
 * installed from a tarball of the same name.
 */
async function buildOf(root: string, isCheckout: boolean, bytes: Uint8Array): Promise<string> {
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 8)
  if (!isCheckout) return digest
  try {
    const commit = await promisify(execFile)('git', ['rev-parse', '--short', 'HEAD'], { cwd: root })
    return `${commit.stdout.trim()}-${digest}`
  } catch {
    // A copy of the repository without git.
    return digest
  }
}

/** npm records where each package in `node_modules` came from. */
function isFromFile(root: string): boolean {
  try {
    const lock = JSON.parse(readFileSync(join(root, '../.package-lock.json'), 'utf8'))
    return /^file:/.test(lock.packages['node_modules/edgeway'].resolved)
  } catch {
    // Another package manager, which installs from a registry.
    return false
  }
}
