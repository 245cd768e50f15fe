/** Checks a server against the rules of a directory. Pure: everything was read before. */
import type { DirectoryFinding } from './finding.ts'
import type { DirectoryInput } from './input.ts'
import type { DirectoryName } from './names.ts'

/** What the directory would refuse the server for, and what it advises. It accepts a server without errors. */
export function checkDirectory(
  _name: DirectoryName,
  _input: DirectoryInput,
): readonly DirectoryFinding[] {
  return []
}

/** Whether a directory accepts a server with these findings. */
export function accepts(findings: readonly DirectoryFinding[]): boolean {
  return findings.every(({ severity }) => severity !== 'error')
}
