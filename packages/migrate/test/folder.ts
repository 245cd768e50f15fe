/** A folder with the files of a project, and what `edgeway migrate` does with it. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Ended, runEdgeway } from '../../../test/support/node/edgeway-command.ts'
import { planMigration } from '../src/migrate.ts'
import type { Plan } from '../src/plan.ts'
import { writeEdits } from '../src/write-edits.ts'

export type Files = Readonly<Record<string, string>>

export function folderOf(files: Files): string {
  const folder = mkdtempSync(join(tmpdir(), 'edgeway-migrate-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(files)) write(folder, path, text)
  return folder
}

export function write(folder: string, path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

export const read = (folder: string, path: string): string =>
  readFileSync(join(folder, path), 'utf8')

/** Every file of a folder with its bytes. */
export function contentsOf(folder: string): Files {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    files.sort().map((file) => [file.slice(folder.length + 1), readFileSync(file, 'latin1')]),
  )
}

/** The files that a plan changes, after the change. */
export const changed = ({ edits }: Plan): Files =>
  Object.fromEntries(edits.map(({ file, after }) => [file, after]))

/** Each decision as `code file:line`. */
export const decided = ({ decisions }: Plan): readonly string[] =>
  decisions.map(({ code, file, line }) => `${code} ${file}:${line}`)

/** Plans and writes. */
export function migrate(folder: string): Plan {
  const plan = planMigration(folder)
  writeEdits(plan.folder, plan.edits)
  return plan
}

export function commit(folder: string): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' })
  git('init', '--quiet')
  git('add', '-A')
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '-m', 'before')
}

export const run = (folder: string, ...args: string[]): Promise<Ended> =>
  runEdgeway(['migrate', folder, ...args])
