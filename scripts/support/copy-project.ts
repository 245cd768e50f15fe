/** A copy of the project's own files, in which a script changes some of them. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PROJECT_DIRECTORY } from './project.ts'

/** What `npm ci` generates, and git does not know. */
const GENERATED = [
  'packages/inspector/src/inspector/generated/*.ts',
  'examples/*/views.generated.ts',
]

/** Copies the files that git knows or would add, and those that are generated. Returns the paths of the first. */
export function copyProject(directory: string): string[] {
  const list = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
    cwd: PROJECT_DIRECTORY,
    encoding: 'utf8',
  })
  const files = list
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(PROJECT_DIRECTORY, file)))
  for (const file of [...files, ...globSync(GENERATED, { cwd: PROJECT_DIRECTORY })]) {
    mkdirSync(join(directory, dirname(file)), { recursive: true })
    cpSync(join(PROJECT_DIRECTORY, file), join(directory, file))
  }
  return files
}
