/** Reads JSON when a component appears, again on request, and repeatedly while the page is visible. */
import { useCallback, useEffect, useState } from 'preact/hooks'
import { readJson } from './read-json.ts'

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
