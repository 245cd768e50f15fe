/** What the controls of one form share. */
import { createContext } from 'preact'
import type { Problems } from './value.ts'

export const FormContext = createContext<{
  /** The prefix of element ids. */
  readonly id: string
  readonly problems: Problems
}>({ id: '', problems: new Map() })
