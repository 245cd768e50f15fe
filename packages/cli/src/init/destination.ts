/** Checks the name of a new server, and the folder that it is written to. */
import { lstatSync, readdirSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import starterPackage from '../../../../starter/base/package.json' with { type: 'json' }
import { useFile } from '../../../text/src/files/file-error.ts'

export interface Destination {
  readonly name: string
  readonly directory: string
}

/** The name is a label of a host name: `<name>.<account>.workers.dev`. */
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** npm installs no package into a package with the same name. */
const DEPENDENCIES = [
  ...Object.keys(starterPackage.dependencies),
  ...Object.keys(starterPackage.devDependencies),
]

/**
 * @param path a name, or the path of a folder whose last part is the name; `.` is the current folder
 * @throws {Error} for a name that npm or Workers refuse, and for a folder that is not empty
 */
export function checkDestination(path: string, currentDirectory = process.cwd()): Destination {
  const directory = resolve(currentDirectory, path)
  const name = basename(directory)
  const problem = path.trim() === '' ? 'A name is needed, such as my-server' : problemOf(name)
  if (problem !== undefined) throw new Error(problem)
  const entryBy = (read: typeof statSync) =>
    useFile(path, 'written', () => read(directory, { throwIfNoEntry: false }))
  const found = entryBy(statSync)
  if (found !== undefined && !found.isDirectory()) {
    throw new Error(`${path} exists and is no folder. Nothing was written.`)
  }
  // A link to nothing.
  if (found === undefined && entryBy(lstatSync) !== undefined) {
    throw new Error(`${path} is a link to a folder that does not exist. Nothing was written.`)
  }
  const entries = found === undefined ? [] : useFile(path, 'read', () => readdirSync(directory))
  if (entries.some((entry) => entry !== '.git')) {
    throw new Error(
      `The folder ${path} is not empty. Nothing was written. Name a new folder. To add Edgeway to a project, run npm install edgeway in it`,
    )
  }
  return { name, directory }
}

function problemOf(name: string): string | undefined {
  if (DEPENDENCIES.includes(name)) {
    return `The name "${name}" is that of a package that the server depends on. Choose another one.`
  }
  if (NAME.test(name)) return undefined
  const suggestion = suggest(name)
  return `The name ${JSON.stringify(name)} is not valid: at most 63 lower-case letters, digits and hyphens, with a letter or digit at both ends.${suggestion === undefined ? '' : ` ${suggestion} would be.`}`
}

function suggest(name: string): string | undefined {
  const letters = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
  const trimmed = letters.replace(/^-|-$/g, '')
  return NAME.test(trimmed) && !DEPENDENCIES.includes(trimmed) ? trimmed : undefined
}
