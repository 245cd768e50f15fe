/** The questions of `edgeway init`, for what the command line does not say. */
import type { Readable, Writable } from 'node:stream'
import { openPrompts } from '../prompts.ts'
import { AUTH_CHOICES, AUTH_NAMES, type AuthChoice } from './auth-choice.ts'
import { checkDestination } from './destination.ts'

export interface Answers {
  readonly path: string
  readonly auth: AuthChoice
  /** A file or URL; absent without a description. */
  readonly openapi?: string
}

export interface Terminal {
  readonly input: Readable
  readonly output: Writable
}

/** @returns undefined when the person ends the questions */
export async function askMissing(
  given: Partial<Answers>,
  terminal: Terminal,
): Promise<Answers | undefined> {
  const { isCancel, select, text } = openPrompts()
  const path =
    given.path ??
    (await text({ ...terminal, message: 'The name of the server', validate: checkPath }))
  if (isCancel(path)) return undefined
  const auth =
    given.auth ??
    (await select({
      ...terminal,
      message: 'Who can use it',
      options: AUTH_NAMES.map((value) => ({ value, label: value, hint: AUTH_CHOICES[value] })),
    }))
  if (isCancel(auth)) return undefined
  const openapi =
    given.openapi ??
    (await text({
      ...terminal,
      message: 'An OpenAPI description to make tools of: a file, a URL, or nothing',
    }))
  if (isCancel(openapi)) return undefined
  return { path, auth, ...(openapi?.trim() ? { openapi: openapi.trim() } : {}) }
}

function checkPath(path: string | undefined): string | undefined {
  try {
    checkDestination(path ?? '')
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
