/** A rule that looks at one tool after another. */
import type { Tool } from '../../../src/protocol/primitives.ts'
import type { Detected, Rule } from '../finding.ts'
import type { DirectoryName } from '../names.ts'

export const ofTools =
  (check: (tool: Tool, directory: DirectoryName) => readonly Detected[]): Rule =>
  ({ surface }, directory) =>
    (surface?.tools ?? []).flatMap((tool) => check(tool, directory))
