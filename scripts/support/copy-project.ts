/** A copy of the project's own files, in which a script changes some of them. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PROJECT_DIRECTORY } from './project.ts'

const GENERATED = 'packages/inspector/src/inspector/generated'

/** Copies the files that git knows or would add, and the inspector's page. Returns their paths. */
export function copyProject(directory: string): string[] {
  const list = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
    cwd: PROJECT_DIRECTORY,
    encoding: 'utf8',
  })
  const files = list
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(PROJECT_DIRECTORY, file)))
  for (const file of files) {
    mkdirSync(join(directory, dirname(file)), { recursive: true })
    cpSync(join(PROJECT_DIRECTORY, file), join(directory, file))
  }
  cpSync(join(PROJECT_DIRECTORY, GENERATED), join(directory, GENERATED), { recursive: true })
  return files
}
