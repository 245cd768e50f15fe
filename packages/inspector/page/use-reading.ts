/** Reads JSON when a component appears, again on request, and repeatedly while the page is visible. */
import { useCallback, useEffect, useState } from 'preact/hooks'

export interface Reading<T> {
  /** The last value that was read. Stays while the next one is read, and when that fails. */
  readonly value: T | undefined
  readonly problem: string | undefined
  readonly isReading: boolean
  readonly refresh: () => void
}

export function useReading<T>(path: string, everyMs?: number): Reading<T> {
  const [value, setValue] = useState<T>()
  const [problem, setProblem] = useState<string>()
  const [isReading, setReading] = useState(true)
  const [round, setRound] = useState(0)
  const refresh = useCallback(() => setRound((last) => last + 1), [])

  // A further round reads the same path again.
  useEffect(() => {
    let isCurrent = true
    setReading(true)
    readJson<T>(path)
      .then(
        (read) => {
          if (!isCurrent) return
          setValue(() => read)
          setProblem(undefined)
        },
        (error: unknown) => {
          if (isCurrent) setProblem(error instanceof Error ? error.message : String(error))
        },
      )
      .finally(() => isCurrent && setReading(false))
    return () => {
      isCurrent = false
    }
  }, [path, round])

  useEffect(() => {
    if (everyMs === undefined) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') refresh()
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs, refresh])

  return { value, problem, isReading, refresh }
}

export const REFRESH_MS = 5000

/** Reads what the server shows of one subject, at first of the person who looks at the page. */
export function useSubjectReading<T>(path: string, subject: string | null) {
  const [asked, setAsked] = useState(subject ?? '')
  const query = asked === '' ? '' : `?subject=${encodeURIComponent(asked)}`
  const reading = useReading<T>(`${path}${query}`, REFRESH_MS)
  const show = (next: string) => {
    setAsked(next)
    reading.refresh()
  }
  return { ...reading, asked, show }
}

/** @throws {Error} whose message says what the person can do */
async function readJson<T>(path: string): Promise<T> {
  let response: Response
  try {
    response = await fetch(path, { headers: { accept: 'application/json' } })
  } catch (cause) {
    throw new Error('The server does not answer. Check that it is running.', { cause })
  }
  if (response.ok) return (await response.json()) as T
  throw new Error(adviceOf(response.status))
}

function adviceOf(status: number): string {
  if (status === 401 || status === 403 || status === 404) {
    return `The server does not show this to you (${status}). In production, sign in at /account as a subject that the option "owners" of the inspector names.`
  }
  if (status === 429) return 'Too many requests. Wait for a moment, then try again.'
  return `The server answered ${status}. Its log has the cause.`
}
