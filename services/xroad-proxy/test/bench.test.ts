/** What the benchmark is asked for, and where in its page the results go. */
import { testBench } from '@services/bench/testing'
import { flags } from '../bench/options.ts'

testBench(flags, new URL('../bench/README.md', import.meta.url))
