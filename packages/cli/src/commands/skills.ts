/** `edgeway skills FOLDER`: checks the skills of a folder and writes them as a module of the Worker. */
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Command } from 'commander'
import { useFile } from '../../../text/src/files/file-error.ts'
import { replaceFile } from '../../../text/src/files/replace-file.ts'
import { shellArgument } from '../../../text/src/shell-argument.ts'
import { printable } from '../../../text/src/terminal-text.ts'
import { isModuleText, moduleText } from '../skills/module-text.ts'
import { readSkills } from '../skills/read-skills.ts'

interface Flags {
  readonly out: string
  readonly check: boolean
}

const HELP = `
A skill is a folder with a SKILL.md, as https://agentskills.io/specification describes it. The folders
above it are the beginning of its path: skills/billing/refunds is the skill billing/refunds.

Exit codes: 0 written, or nothing to write; 1 a skill is wrong, or with --check the module is out of date;
            2 the folder cannot be read, or the module is a file that this command has not written`

const EXIT_PROBLEMS = 1

export function addSkillsCommand(program: Command): void {
  program
    .command('skills')
    .description('checks the skills of a folder and writes them as a module of the Worker')
    .argument('[folder]', 'the folder that contains the skills', 'skills')
    .option('--out <file>', 'the module to write', 'src/skills.ts')
    .option('--check', 'write nothing, and fail when the module is out of date', false)
    .addHelpText('after', HELP)
    .action((folder: string, flags: Flags) => {
      process.exitCode = runSkills(folder, flags)
    })
}

function runSkills(folder: string, { out, check }: Flags): number {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`There is no folder ${folder}. Nothing was written.`)
  }
  const { skills, problems } = readSkills(folder)
  if (problems.length > 0) {
    for (const { file, line, message } of problems) {
      process.stderr.write(`${printable(file, 1000)}:${line}: ${printable(message, 1000)}\n`)
    }
    return EXIT_PROBLEMS
  }
  if (skills.length === 0) {
    throw new Error(`No folder in ${folder} has a file SKILL.md. Nothing was written.`)
  }
  const text = moduleText(skills)
  // Git may have written the line ends of Windows.
  const earlier = existsSync(out)
    ? useFile(out, 'read', () => readFileSync(out, 'utf8')).replaceAll('\r\n', '\n')
    : undefined
  const isCurrent = earlier === text
  const count = skills.length === 1 ? '1 skill' : `${skills.length} skills`
  if (isCurrent) {
    process.stdout.write(`${out} is up to date: ${count}.\n`)
    return 0
  }
  if (earlier !== undefined && !isModuleText(earlier)) {
    throw new Error(
      `${out} was not written by edgeway skills. Name another file: --out FILE. Nothing was written.`,
    )
  }
  if (check) {
    process.stderr.write(
      `${out} is out of date: run edgeway skills ${shellArgument(folder)} --out ${shellArgument(out)}\n`,
    )
    return EXIT_PROBLEMS
  }
  useFile(out, 'written', () => {
    mkdirSync(dirname(out), { recursive: true })
    replaceFile(out, text)
  })
  process.stdout.write(`${out} has been written: ${count}.\n`)
  return 0
}
