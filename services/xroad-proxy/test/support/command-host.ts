/** The program of the process that runs commands for a test file. */
import { obeyCommands } from '@services/testing/command-host'
import { main } from '../../src/main.ts'

obeyCommands(main)
