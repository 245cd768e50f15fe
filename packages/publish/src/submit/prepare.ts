/** What each directory is given: its files, and why it would refuse them. */
import { checkDirectory } from '../directories/check.ts'
import type { DirectoryFinding } from '../directories/finding.ts'
import type { DirectoryName } from '../directories/names.ts'
import { claudeForm } from './claude/form.ts'
import { claudePlugin, claudePluginProblems } from './claude/plugin.ts'
import { claudeDeclarations, nameProblems, openaiDeclarations } from './completeness.ts'
import { claudeScreenshotProblems, logoProblems, openaiScreenshotProblems } from './image-rules.ts'
import { openaiForm, openaiSteps } from './openai/form.ts'
import { openaiManifest, openaiPlugin } from './openai/plugin.ts'
import type { OutputFiles } from './output-folder.ts'
import { jsonFile, pluginIdentity, textFile } from './plugin-files.ts'
import type { Problem } from './problem.ts'
import type { Submission } from './submission.ts'

export const TARGETS = ['claude', 'openai', 'registry'] as const
export type Target = (typeof TARGETS)[number]

export interface Prepared {
  /** By path in the output folder. */
  readonly files: OutputFiles
  /** The ZIP of the folder `plugin`, which contains what an author has changed in it. */
  readonly zip?: string
  /** The file that says how to go on. */
  readonly guide: string
  readonly findings: readonly DirectoryFinding[]
  readonly problems: readonly Problem[]
}

/** The folder of a plugin in the output folder. */
export const PLUGIN_FOLDER = 'plugin'

export const DIRECTORIES: Readonly<Record<Target, { name: DirectoryName; title: string }>> = {
  claude: { name: 'claude-directory', title: 'the connectors directory of Claude' },
  openai: { name: 'openai-plugins', title: 'the plugins directory of OpenAI' },
  registry: { name: 'mcp-registry', title: 'the MCP registry' },
}

/** `registry/registry-files.ts` prepares what the registry wants, which needs no listing. */
export function prepare(target: Exclude<Target, 'registry'>, submission: Submission): Prepared {
  return target === 'claude' ? prepareClaude(submission) : prepareOpenai(submission)
}

function findingsOf(target: Target, submission: Submission, plugin: object) {
  const { surface, url, listing, input } = submission
  return checkDirectory(DIRECTORIES[target].name, { url, ...input, surface, listing, plugin })
}

function prepareClaude(submission: Submission): Prepared {
  return {
    files: new Map([
      ['form.md', textFile(claudeForm(submission))],
      ...inPlugin(claudePlugin(submission)),
    ]),
    guide: 'form.md',
    findings: findingsOf('claude', submission, pluginIdentity(submission)),
    problems: [
      ...nameProblems(submission),
      ...logoProblems(submission.images),
      ...claudeScreenshotProblems(submission.images),
      ...claudePluginProblems(submission),
      ...claudeDeclarations(submission),
    ],
  }
}

function prepareOpenai(submission: Submission): Prepared {
  const plugin = openaiManifest(submission)
  // A version may be any text, and is part of a file name.
  const version = plugin.version.replace(/[^A-Za-z0-9.+-]/g, '-')
  const zip = `${plugin.name}-${version}.zip`
  return {
    files: new Map([
      ['chatgpt-app-submission.json', jsonFile(openaiForm(submission))],
      ['dashboard.md', textFile(openaiSteps(submission, zip))],
      ...inPlugin(openaiPlugin(submission)),
    ]),
    zip,
    guide: 'dashboard.md',
    findings: findingsOf('openai', submission, plugin),
    problems: [
      ...nameProblems(submission),
      ...logoProblems(submission.images),
      ...openaiScreenshotProblems(submission.images),
      ...openaiDeclarations(submission),
    ],
  }
}

const inPlugin = (files: OutputFiles) =>
  [...files].map(([path, content]) => [`${PLUGIN_FOLDER}/${path}`, content] as const)
