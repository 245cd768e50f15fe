/** Finds a Node of a major version: this one, the one of the machine, or the one of the npm package. */
import { spawnSync } from 'node:child_process'

/** `npm run` puts the Node of this repository first. */
export const OTHER_PATHS = (process.env.PATH ?? '')
  .split(':')
  .filter((path) => !path.includes('node_modules'))
  .join(':')

/** @returns the path of the program; undefined if there is none and none can be installed */
export function findNode(major: number, cwd: string): string | undefined {
  const isMajor = (command: string, ...args: string[]) => {
    const { stdout } = spawnSync(
      command,
      [...args, '-p', 'process.version + " " + process.execPath'],
      { encoding: 'utf8', cwd },
    )
    const [, version, path] = /^v(\d+)\S* (.+)$/m.exec(stdout ?? '') ?? []
    return Number(version) === major ? path : undefined
  }
  return (
    isMajor(process.execPath) ??
    isMajor('/usr/bin/env', '-i', `PATH=${OTHER_PATHS}`, 'node') ??
    isMajor('npm', 'exec', '--yes', `--package=node@${major}`, '--', 'node')
  )
}
