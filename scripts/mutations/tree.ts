/** The copies of the project in which mutants are planted. They share the files of `node_modules` by hard links. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { copyProject } from '../support/copy-project.ts'
import { PROJECT_DIRECTORY } from '../support/project.ts'
import { type Mutant, mutate } from './mutants.ts'

/** Git ignores it. */
export const MUTATIONS_DIRECTORY = join(PROJECT_DIRECTORY, '.mutations')

/** The folders in which mutants are planted. */
export const SOURCE_FOLDERS = ['src', 'durable-objects', 'packages'] as const

export interface Tree {
  readonly name: string
  readonly directory: string
  /** The files that tests and source consist of. */
  readonly files: readonly string[]
  /** Writes a source file with the mutant, or as it was. */
  write(mutant: Mutant, withMutant: boolean): void
}

/** Makes a copy of the project as it is now, or with everything but the source as a commit has it. */
export function createTree(name: string, commit?: string): Tree {
  const directory = join(MUTATIONS_DIRECTORY, name)
  mkdirSync(directory, { recursive: true })
  // A start after this one needs the modules again, and they take the longest.
  for (const entry of readdirSync(directory)) {
    if (entry !== 'node_modules') rmSync(join(directory, entry), { recursive: true })
  }
  const copied = copyProject(directory)
  const files = commit === undefined ? copied : takeAllButSource(directory, commit, copied)
  allowUnusedNames(join(directory, 'tsconfig.base.json'))
  linkModules(directory)
  return {
    name,
    directory,
    files,
    write(mutant, withMutant) {
      const source = readFileSync(join(PROJECT_DIRECTORY, mutant.file), 'utf8')
      writeFileSync(join(directory, mutant.file), withMutant ? mutate(source, mutant) : source)
    },
  }
}

/** A removed call may leave its import unused, which is no error of a type, and is none of a build in a test. */
function allowUnusedNames(config: string): void {
  writeFileSync(config, readFileSync(config, 'utf8').replace(/^ *"noUnused\w+": true,\n/gm, ''))
}

/** Puts a commit in the place of the copy, and the source of the copy into it. Returns its files. */
function takeAllButSource(
  directory: string,
  commit: string,
  copied: readonly string[],
): readonly string[] {
  const source = `${directory}-source`
  rmSync(source, { recursive: true, force: true })
  mkdirSync(source)
  for (const folder of SOURCE_FOLDERS) renameSync(join(directory, folder), join(source, folder))
  for (const entry of readdirSync(directory)) {
    if (entry !== 'node_modules') rmSync(join(directory, entry), { recursive: true })
  }
  const archive = execFileSync('git', ['archive', '--format=tar', commit], {
    cwd: PROJECT_DIRECTORY,
    maxBuffer: 1024 ** 3,
  })
  execFileSync('tar', ['-x', '-C', directory], { input: archive })
  for (const folder of SOURCE_FOLDERS) {
    rmSync(join(directory, folder), { recursive: true, force: true })
    renameSync(join(source, folder), join(directory, folder))
  }
  rmSync(source, { recursive: true })
  const list = execFileSync('git', ['ls-tree', '-r', '--name-only', '-z', commit], {
    cwd: PROJECT_DIRECTORY,
    encoding: 'utf8',
  })
  return [
    ...copied.filter(isSource),
    ...list.split('\0').filter((file) => file !== '' && !isSource(file)),
  ]
}

export const isSource = (file: string): boolean =>
  SOURCE_FOLDERS.some((folder) => file.startsWith(`${folder}/`))

function linkModules(directory: string): void {
  const target = join(directory, 'node_modules')
  const mark = join(target, '.linked-for')
  const lock = readFileSync(join(PROJECT_DIRECTORY, 'package-lock.json'), 'utf8')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return
  rmSync(target, { recursive: true, force: true })
  const source = join(PROJECT_DIRECTORY, 'node_modules')
  // Only the cp of GNU links. Elsewhere the files are copied.
  const { status } = spawnSync('cp', ['-al', source, target], { stdio: 'ignore' })
  if (status !== 0) cpSync(source, target, { recursive: true, verbatimSymlinks: true })
  // Caches, which tests write: they are no files of a package, and must not be those of the project.
  for (const entry of readdirSync(target)) {
    const isOfNpm = ['.bin', '.package-lock.json'].includes(entry)
    if (entry.startsWith('.') && !isOfNpm) rmSync(join(target, entry), { recursive: true })
  }
  writeFileSync(mark, lock)
}
