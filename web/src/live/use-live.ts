import { useEffect, useMemo, useRef } from 'preact/hooks'
import { createLive, type Live, type Loading } from './create-live.ts'

export type { Live } from './create-live.ts'

/** What is loaded while a part of the page is shown. Another key loads anew and forgets what was there. */
export function useLive<T>({ key, load, on }: Loading<T> & { readonly key: string }): Live<T> {
  const latest = useRef(load)
  latest.current = load
  const source = useMemo(() => createLive({ load: () => latest.current(), ...(on && { on }) }), [key])
  useEffect(() => {
    source.start()
    return source.stop
  }, [source])
  return source
}
