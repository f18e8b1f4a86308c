// Generated from openapi.json by openapi-typescript; npm run openapi writes it anew.

export interface paths {
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get metrics in Prometheus format */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the process is running */
        get: operations["checkLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the database is reachable and all roles are up */
        get: operations["checkReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get this OpenAPI document */
        get: operations["getOpenApiDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the first page of the documentation */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/{page}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a page of the documentation */
        get: operations["getDocsPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the account profile and its default settings */
        get: operations["getProfile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Update the account profile and its default settings */
        patch: operations["updateProfile"];
        trace?: never;
    };
    "/api/v1/customer/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get this month's usage and delivery figures */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the account limits and current usage */
        get: operations["getLimits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/smtp-credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the SMTP credentials
         * @description A sandbox key gets a password for sandbox email.
         */
        get: operations["getSmtpCredentials"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/smtp-credentials/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the SMTP settings without the password */
        get: operations["getSmtpSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/smtp-credentials/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the SMTP password
         * @description The old one can stay valid for a grace period.
         */
        post: operations["rotateSmtpPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List API keys, including revoked ones */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description Its secret is shown only once.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an API key */
        get: operations["getApiKey"];
        put?: never;
        post?: never;
        /** Revoke an API key */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        /** Update an API key's name, scopes, domains, allowed addresses or expiry */
        patch: operations["updateApiKey"];
        trace?: never;
    };
    "/api/v1/customer/api-keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of an API key
         * @description The old one can stay valid for a grace period.
         */
        post: operations["rotateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the current session */
        get: operations["getSession"];
        put?: never;
        /** Sign in */
        post: operations["signIn"];
        /** Sign out */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List sessions of the signed-in user */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End a session of the signed-in user */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change your password
         * @description All your other sessions end.
         */
        put: operations["changePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Enable the second factor with a code from the authenticator app
         * @description The recovery codes are shown only once.
         */
        put: operations["enableSecondFactor"];
        /**
         * Start second-factor setup
         * @description Returns a secret for an authenticator app; it takes effect once enabled.
         */
        post: operations["offerSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/totp/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove the second factor
         * @description Needs the password and an authenticator or recovery code.
         */
        post: operations["removeSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List users of the account */
        get: operations["listUsers"];
        put?: never;
        /**
         * Create a user
         * @description The initial password is shown only once.
         */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a user and end their sessions */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        /** Update a user's role */
        patch: operations["updateUser"];
        trace?: never;
    };
    "/api/v1/users/{id}/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a user a new password, shown only once
         * @description Their sessions end, and their second factor is removed. Not for yourself and not for operators.
         */
        post: operations["resetUserPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create the first operator with the token printed on the console */
        post: operations["setUpInstallation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operator/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List accounts, newest first */
        get: operations["listAccounts"];
        put?: never;
        /**
         * Create an account
         * @description Its API keys and the password of its owner are shown only once.
         */
        post: operations["createAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operator/accounts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an account with its limits, usage and users */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Update an account's plan, and the limits and features that override it */
        patch: operations["updateAccount"];
        trace?: never;
    };
    "/api/v1/operator/accounts/{id}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Suspend an account
         * @description It becomes read-only, and its queue stops within 5 seconds.
         */
        post: operations["suspendAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operator/accounts/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Resume a suspended account */
        post: operations["resumeAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operator/accounts/{id}/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete an account with all its data
         * @description This cannot be undone.
         */
        post: operations["deleteAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operator/accounts/{id}/open": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open an account
         * @description The session then acts on it with the rights of an owner.
         */
        post: operations["openAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operator/leave": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Leave the opened account and return to your own */
        post: operations["leaveAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operator/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List operator actions and SMTP password views, newest first */
        get: operations["listOperatorActions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operator/plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the plans of this installation and the number of accounts on each */
        get: operations["listPlans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operator/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the queue by destination, longest first
         * @description The figures can be up to 2 seconds old.
         */
        get: operations["listQueues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operator/queues/causes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List why deferred emails wait: their last responses, most emails first
         * @description The 10,000 emails that are due first are examined. The figures can be up to 5 seconds old.
         */
        get: operations["listQueueCauses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operator/queues/{destination}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a destination
         * @description No further emails to it are attempted until it is resumed.
         */
        post: operations["pauseQueue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operator/queues/{destination}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Resume a paused destination */
        post: operations["resumeQueue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operator/queues/{destination}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Retry the deferred emails of a destination now */
        post: operations["retryQueue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operator/machines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the processes of the installation and the lag of each event log follower */
        get: operations["listMachines"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List sending domains */
        get: operations["listDomains"];
        put?: never;
        /**
         * Add a sending domain
         * @description The response has the DNS records to publish, and the private DKIM key, which is returned only here.
         */
        post: operations["createDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/domains/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a sending domain */
        get: operations["getDomain"];
        put?: never;
        post?: never;
        /**
         * Delete a sending domain
         * @description Its queued emails fail.
         */
        delete: operations["deleteDomain"];
        options?: never;
        head?: never;
        /** Update the settings of a sending domain */
        patch: operations["updateDomain"];
        trace?: never;
    };
    "/api/v1/customer/domains/{id}/dns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the DNS records to publish */
        get: operations["getDomainDns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/domains/{id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify the DNS records of a sending domain now
         * @description For a check that fails, the response says what was expected, what was found and what to fix.
         */
        post: operations["verifyDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/domains/{id}/dkim/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make new DKIM keys for a sending domain
         * @description They replace the current ones once their record is found in the DNS.
         */
        post: operations["rotateDomainDkim"];
        /** Drop the new DKIM keys of a sending domain and keep the current ones */
        delete: operations["cancelDomainDkimRotation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/unsubscribes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List unsubscribed addresses */
        get: operations["listUnsubscribes"];
        put?: never;
        /**
         * Add an address to the unsubscribe list
         * @description No attempt to deliver to it begins afterwards, also for email that waits already.
         */
        post: operations["createUnsubscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/unsubscribes/{email}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove an address from the unsubscribe list
         * @description The message says what still refuses email to it, such as a suppression.
         */
        delete: operations["deleteUnsubscribe"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/suppressions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List suppressed addresses */
        get: operations["listSuppressions"];
        put?: never;
        /**
         * Suppress an address
         * @description No attempt to deliver to it begins afterwards, also for email that waits already.
         */
        post: operations["createSuppression"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/suppressions/{email}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the suppression of an address */
        get: operations["getSuppression"];
        put?: never;
        post?: never;
        /**
         * Remove an address from the suppression list
         * @description The message says what still refuses email to it, such as a complaint.
         */
        delete: operations["deleteSuppression"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/unsubscribes/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Import unsubscribed addresses from CSV with a header line or from JSON {entries: [..]} */
        post: operations["importUnsubscribes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/unsubscribes/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export unsubscribed addresses as CSV
         * @description Takes the same filters as the list.
         */
        get: operations["exportUnsubscribes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/suppressions/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Import suppressions from CSV with a header line or from JSON {entries: [..]} */
        post: operations["importSuppressions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/suppressions/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export suppressions as CSV
         * @description Takes the same filters as the list.
         */
        get: operations["exportSuppressions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/acme-challenge/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Answer an ACME challenge of a certificate authority */
        get: operations["answerCertificateChallenge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/track/o/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Record an open and return the tracking pixel */
        get: operations["trackOpen"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/track/c/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Record a click and redirect to the original URL */
        get: operations["trackClick"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/track/u/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the unsubscribe confirmation page */
        get: operations["getUnsubscribePage"];
        put?: never;
        /** Unsubscribe the recipient with one click (RFC 8058) or from the confirmation page */
        post: operations["unsubscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/tracking-domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List tracking domains */
        get: operations["listTrackingDomains"];
        put?: never;
        /** Add a tracking domain */
        post: operations["createTrackingDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/tracking-domains/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a tracking domain */
        get: operations["getTrackingDomain"];
        put?: never;
        post?: never;
        /** Delete a tracking domain */
        delete: operations["deleteTrackingDomain"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/tracking-domains/{id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Verify the CNAME record of a tracking domain now */
        post: operations["verifyTrackingDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/address/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Validate an email address
         * @description No email is sent: the mail server is asked up to RCPT.
         */
        post: operations["validateAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/address/validate/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Validate up to 100 email addresses */
        post: operations["validateAddresses"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/address/validate/quota": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get this month's validation quota */
        get: operations["getValidationQuota"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/bounces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List bounces and complaints, newest first */
        get: operations["listBounces"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inbound/bounces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Report bounces as message/rfc822 or as JSON that names the email */
        post: operations["reportBounce"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inbound/complaints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Report complaints as message/rfc822 or as JSON that names the email */
        post: operations["reportComplaint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/domains/{id}/tls-reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the TLS reports (TLS-RPT) received for a domain, newest first, with the DNS record that requests them */
        get: operations["listTlsReports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/domains/{id}/dmarc-reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the DMARC aggregate reports received for a domain, newest first, with the DNS record that requests them */
        get: operations["listDmarcReports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/domains/{id}/dmarc-reports/{report_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a DMARC aggregate report with its records */
        get: operations["getDmarcReport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/domains/{id}/dmarc-sources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the addresses that send in the name of a domain, as receivers report them, most messages first */
        get: operations["listDmarcSources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an email
         * @description It is stored durably before the answer. Each recipient gets an email of its own, with its own status and events; `recipients` has their ids. To repeat a call safely, give it an Idempotency-Key.
         */
        post: operations["sendEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/send/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a batch of up to 500 emails
         * @description Each is accepted or refused by itself, and the answer is 200 either way. With `X-Batch-Validation: strict`, all are accepted or none.
         */
        post: operations["sendBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List templates */
        get: operations["listTemplates"];
        put?: never;
        /** Create a template */
        post: operations["createTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/templates/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Preview a template that is not stored, with variables */
        post: operations["previewTemplateDraft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/templates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a template */
        get: operations["getTemplate"];
        /**
         * Replace a template
         * @description Its version number increases by one.
         */
        put: operations["replaceTemplate"];
        post?: never;
        /** Delete a template */
        delete: operations["deleteTemplate"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/templates/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the HTML of a template preview for display in a frame
         * @description It cannot run scripts or load anything.
         */
        get: operations["getTemplateHtml"];
        put?: never;
        /** Preview a template with variables */
        post: operations["previewTemplate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/templates/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the stored versions of a template, newest first */
        get: operations["listTemplateVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/templates/{id}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a version of a template */
        get: operations["getTemplateVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/templates/{id}/versions/{version}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restore an older version of a template as a new version */
        post: operations["restoreTemplateVersion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/contacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List contacts, newest first */
        get: operations["listContacts"];
        put?: never;
        /**
         * Create a contact
         * @description Unless double_opt_in is false, a confirmation email is sent.
         */
        post: operations["createContact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/contacts/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export contacts with their evidence of consent as CSV
         * @description Takes the same filters as the list.
         */
        get: operations["exportContacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/contacts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a contact */
        get: operations["getContact"];
        put?: never;
        post?: never;
        /**
         * Delete a contact
         * @description With erase=true the recipient is erased: the emails sent to the address and its list entries too, except for a salted hash.
         */
        delete: operations["deleteContact"];
        options?: never;
        head?: never;
        /**
         * Update the name or tags of a contact, or unsubscribe it
         * @description The evidence of consent cannot be changed.
         */
        patch: operations["updateContact"];
        trace?: never;
    };
    "/api/v1/customer/contacts/{id}/resend-confirmation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend the confirmation email, at most 3 times and once an hour
         * @description With a new consent, a contact that unsubscribed and has been taken off the unsubscribe list can be asked once a week.
         */
        post: operations["resendConfirmation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/contacts/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Import contacts from CSV with a header line or from JSON {entries: [..]} */
        post: operations["importContacts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/confirm/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the confirmation page that a confirmation email links to
         * @description Opening it confirms nothing.
         */
        get: operations["getConfirmationPage"];
        put?: never;
        /** Confirm the contact with the button of the confirmation page */
        post: operations["confirmContact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/erasures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List erasures of recipients, newest first */
        get: operations["listErasures"];
        put?: never;
        /**
         * Erase a recipient
         * @description What waits for the address is canceled; the emails sent to it, the contact and its list entries are deleted, and the person is taken out of events. A salted hash stays, so no more email is sent to it.
         */
        post: operations["createErasure"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/erasures/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an erasure */
        get: operations["getErasure"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/content-score": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Score content for signs of spam and fraud */
        post: operations["scoreContent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/content-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List content events */
        get: operations["listContentEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/risk/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview the risk verdict of a send without sending
         * @description It is the verdict that a send of the same email would get.
         */
        post: operations["previewRisk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/risk/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get this month's risk preview statistics and remaining quota */
        get: operations["getRiskStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List emails */
        get: operations["listEmails"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an email with its delivery attempts and events */
        get: operations["getEmail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Reschedule a scheduled email
         * @description A time that has passed counts as now. The default expiry moves with it.
         */
        patch: operations["rescheduleEmail"];
        trace?: never;
    };
    "/api/v1/emails/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the HTML of an email with its inline images for display in a frame
         * @description It cannot run scripts or load anything.
         */
        get: operations["getEmailHtml"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/{id}/raw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the raw message as the receiving server gets it */
        get: operations["getRawEmail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel an email that has not been sent
         * @description One that is being attempted cannot be canceled.
         */
        post: operations["cancelEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel all scheduled, queued and deferred emails that match a tag, domain, recipient or period */
        post: operations["cancelEmails"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/emails/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry an email
         * @description A deferred one is attempted now; a failed or bounced one starts anew, and its `expires_at` becomes 72 hours from now. A live email is refused while its recipient is suppressed or unsubscribed; one that has ended also when its recipient complained or is a spam trap, or its sending domain was removed.
         */
        post: operations["retryEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List sandbox emails */
        get: operations["listInboxMails"];
        put?: never;
        post?: never;
        /** Delete all sandbox emails, or those that the filters of the list find */
        delete: operations["clearInbox"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inbox/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a sandbox email */
        get: operations["getInboxMail"];
        put?: never;
        post?: never;
        /** Delete a sandbox email */
        delete: operations["deleteInboxMail"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inbox/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the HTML of a sandbox email with its inline images for display in a frame
         * @description It cannot run scripts or load anything.
         */
        get: operations["getInboxMailHtml"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/inbox/{id}/raw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the raw message of a sandbox email, byte for byte as a receiving server would have got it */
        get: operations["getRawInboxMail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the sandbox inbox as an HTML page */
        get: operations["getHomePage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the sandbox inbox as an HTML page */
        get: operations["getInboxPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List events, newest first */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream events as server-sent events, with at most 5 streams per account
         * @description Each frame has `id` (a position), `event` (the type) and `data` (the event as JSON, as in the list). Send Last-Event-ID to resume.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/stats/outbound": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get all statistics of a period with rates */
        get: operations["getStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/stats/outbound/sends": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get emails sent by day */
        get: operations["getSendStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/stats/outbound/bounces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get bounces by day and type */
        get: operations["getBounceStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/stats/outbound/spam": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get spam complaints by day */
        get: operations["getSpamStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/stats/outbound/opens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get opens by day */
        get: operations["getOpenStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/stats/outbound/opens/platforms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get opens by day and platform */
        get: operations["getPlatformStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/stats/outbound/clicks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get clicks by day */
        get: operations["getClickStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/stats/outbound/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the responses of mailbox providers to delivery attempts by day
         * @description Rates are over all attempts of the period.
         */
        get: operations["getProviderStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/stats/outbound/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get all statistics of a period with rates for each of the domains that sent the most, busiest first */
        get: operations["getDomainStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/health-score": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the health score */
        get: operations["getHealthScore"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/health-score/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Recalculate the health score now
         * @description It is calculated daily anyway.
         */
        post: operations["refreshHealthScore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/health-score/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List daily health scores, newest first */
        get: operations["listHealthScores"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/domains/test-readiness/{domain_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check whether a domain is ready for a test mailing, and for which kind */
        get: operations["getTestReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List webhooks */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Its secret is returned only here and when it is regenerated.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/webhooks/{webhookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a webhook */
        get: operations["getWebhook"];
        /**
         * Update a webhook
         * @description Only the given fields are replaced.
         */
        put: operations["updateWebhook"];
        post?: never;
        /** Delete a webhook and its pending deliveries */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/webhooks/{webhookId}/regenerate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Regenerate the secret of a webhook
         * @description The old one stops being used immediately, or after a grace period.
         */
        post: operations["regenerateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/webhooks/{webhookId}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a test event to a webhook */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/webhooks/{webhookId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List webhook deliveries of the last 30 days, newest first */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/webhooks/deliveries/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay a webhook delivery
         * @description A pending delivery is attempted immediately.
         */
        post: operations["replayWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/customer/webhooks/{webhookId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay the events of a period, at most 100,000
         * @description Refused with 409 while 100,000 deliveries to the endpoint wait.
         */
        post: operations["replayWebhookEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    event: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Receive a webhook event. Answer 2xx to accept it; after any other answer it is delivered again. */
        post: operations["receiveWebhookEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        Account: {
            /** Format: uuid */
            id: string;
            name: string;
            email: string;
            plan: components["schemas"]["Plan"];
            /** Format: date-time */
            suspended_at: string | null;
            /** Format: date-time */
            created_at: string;
            limits: components["schemas"]["AccountLimits"];
            own_limits: components["schemas"]["OwnLimits"];
            features: components["schemas"]["Features"];
            own_features: components["schemas"]["OwnFeatures"];
            used_this_month: components["schemas"]["MonthlyUse"];
            users: components["schemas"]["AccountUser"][];
        };
        /** @description Limits of the account or plan. Null means unlimited. */
        AccountLimits: {
            emails: number | null;
            validations: number | null;
            content_checks: number | null;
            risk_previews: number | null;
            webhooks: number | null;
        };
        AccountOverview: {
            /** Format: uuid */
            id: string;
            name: string;
            email: string;
            plan: components["schemas"]["Plan"];
            /** Format: date-time */
            suspended_at: string | null;
            /** Format: date-time */
            created_at: string;
            emails_this_month: number;
            users: number;
        };
        AccountOverviewList: {
            data: components["schemas"]["AccountOverview"][];
            pagination: components["schemas"]["PagePagination"];
        };
        AccountResponse: {
            data: components["schemas"]["Account"];
        };
        AccountUser: {
            /** Format: uuid */
            id: string;
            email: string;
            role: string;
            operator: boolean;
            /** Format: date-time */
            last_seen_at: string | null;
        };
        /** @enum {string} */
        AddressPattern: "human_name" | "role" | "random" | "generic";
        /** @enum {string} */
        AddressRisk: "low" | "medium" | "high";
        AddressValidation: {
            email: string;
            is_valid: boolean;
            validation_checks: components["schemas"]["ValidationChecks"];
            risk_level: components["schemas"]["AddressRisk"];
            /** @description How good it is for your reputation to send to the address, from 0 to 100. */
            deliverability_score: number;
            /** @description How certain it is that email reaches the inbox, from 0 to 100. */
            confidence_score: number;
            confidence_label: components["schemas"]["ConfidenceLabel"];
            mx_provider: components["schemas"]["MailProvider"];
            email_pattern: components["schemas"]["AddressPattern"];
            suggestions: string[];
            smtp_result: components["schemas"]["SmtpResult"];
            did_you_mean: string | null;
            usage: components["schemas"]["MeteredUsage"];
        };
        AddressValidationBatch: {
            data: components["schemas"]["AddressValidation"][];
            results: components["schemas"]["AddressValidation"][];
            summary: components["schemas"]["ValidationSummary"];
            usage: components["schemas"]["MeteredUsage"];
        };
        AddressValidationResponse: {
            email: string;
            is_valid: boolean;
            validation_checks: components["schemas"]["ValidationChecks"];
            risk_level: components["schemas"]["AddressRisk"];
            /** @description How good it is for your reputation to send to the address, from 0 to 100. */
            deliverability_score: number;
            /** @description How certain it is that email reaches the inbox, from 0 to 100. */
            confidence_score: number;
            confidence_label: components["schemas"]["ConfidenceLabel"];
            mx_provider: components["schemas"]["MailProvider"];
            email_pattern: components["schemas"]["AddressPattern"];
            suggestions: string[];
            smtp_result: components["schemas"]["SmtpResult"];
            did_you_mean: string | null;
            usage: components["schemas"]["MeteredUsage"];
            data: components["schemas"]["AddressValidation"];
        };
        ApiKey: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description First 16 characters of the key. */
            prefix: string;
            last4: string;
            mode: components["schemas"]["KeyMode"];
            scopes: components["schemas"]["Scope"][];
            domain_ids: string[] | null;
            /** @description IP addresses and CIDR networks from which the key can be used. Empty means any. */
            allowed_ips: string[];
            /** Format: date-time */
            expires_at: string | null;
            /** Format: date-time */
            last_used_at: string | null;
            last_used_ip: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            revoked_at: string | null;
            /**
             * Format: date-time
             * @description When the previous secret expires. Null when none is valid.
             */
            previous_valid_until: string | null;
        };
        ApiKeyList: {
            data: components["schemas"]["ApiKey"][];
            pagination: components["schemas"]["PagePagination"];
        };
        ApiKeyResponse: {
            data: components["schemas"]["ApiKey"];
        };
        ApiKeyWithSecret: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description First 16 characters of the key. */
            prefix: string;
            last4: string;
            mode: components["schemas"]["KeyMode"];
            scopes: components["schemas"]["Scope"][];
            domain_ids: string[] | null;
            /** @description IP addresses and CIDR networks from which the key can be used. Empty means any. */
            allowed_ips: string[];
            /** Format: date-time */
            expires_at: string | null;
            /** Format: date-time */
            last_used_at: string | null;
            last_used_ip: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            revoked_at: string | null;
            /**
             * Format: date-time
             * @description When the previous secret expires. Null when none is valid.
             */
            previous_valid_until: string | null;
            /** @description The API key itself. Shown only once. */
            key: string;
        };
        ApiKeyWithSecretResponse: {
            data: components["schemas"]["ApiKeyWithSecret"];
        };
        Attachment: {
            filename: string;
            /** @description Content of the file, Base64-encoded. */
            content: string;
            /** @description Media type, such as `text/csv; charset=utf-8`. Derived from the file name when absent. `message/rfc822` is sent as `application/octet-stream` unless it is 7-bit. */
            content_type?: string | null;
            /** @description Content-ID of the attachment, by which the HTML can refer to it as `cid:`. */
            content_id?: string | null;
            disposition?: ("attachment" | "inline") | null;
        };
        /**
         * @description `delivered`: accepted. `deferred`: the receiver put off this recipient or message (4xx). `bounced`: it refused. `error`: nobody answered about them: no host, connection or TLS, or the receiver put off our connection or sender (such as 421). After `deferred` and `error` the email is tried again until its time is over.
         * @enum {string}
         */
        AttemptOutcome: "delivered" | "deferred" | "bounced" | "error";
        BatchItem: {
            /** @description Position of the message in the request, starting at 0. */
            index: number;
            success: boolean;
            data?: components["schemas"]["SendResult"];
            error?: components["schemas"]["BatchItemError"];
        };
        BatchItemError: {
            error: string;
            code: string;
            details: {
                [key: string]: unknown;
            };
        };
        BatchRequest: {
            messages: components["schemas"]["SendRequest"][];
        };
        BatchResponse: {
            data: components["schemas"]["BatchItem"][];
            summary: components["schemas"]["BatchSummary"];
        };
        BatchSummary: {
            total: number;
            accepted: number;
            rejected: number;
        };
        Bounce: {
            id: string;
            email_id: string | null;
            message_id: string | null;
            recipient: string;
            from: string | null;
            subject: string | null;
            domain_id: string | null;
            tag: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            type: components["schemas"]["BounceType"];
            category: components["schemas"]["BounceCategory"];
            smtp_code: number | null;
            enhanced_code: string | null;
            diagnostic_code: string | null;
            error_message: string | null;
            command: components["schemas"]["BounceCommand"] | null;
            remote_mta: components["schemas"]["RemoteMta"] | null;
            source: components["schemas"]["BounceSource"];
            feedback_type: string | null;
            attempt: number | null;
            suppressed: boolean;
            suppression_id: string | null;
            sandbox: boolean;
            report_dkim: components["schemas"]["ComplaintDkim"] | null;
            /** Format: date-time */
            bounced_at: string;
            /** Format: date-time */
            created_at: string;
        };
        /** @enum {string} */
        BounceCategory: "invalid_recipient" | "bad_domain" | "mailbox_full" | "inactive_mailbox" | "message_too_large" | "rate_limited" | "dns_failure" | "connection" | "expired" | "content_rejected" | "policy" | "reputation" | "authentication" | "protocol" | "unknown" | "spam_complaint";
        /** @enum {string} */
        BounceCommand: "connect" | "mail" | "rcpt" | "data";
        BounceDay: {
            /**
             * Format: date
             * @example 2026-01-31
             */
            date: string;
            bounces: number;
            hard: number;
            soft: number;
            block: number;
            unknown: number;
        };
        BounceList: {
            data: components["schemas"]["Bounce"][];
            pagination: components["schemas"]["CursorPagination"];
            success: boolean;
        };
        /** @enum {string} */
        BounceSource: "smtp" | "dsn" | "arf" | "api";
        BounceStatistics: {
            data: components["schemas"]["BounceDay"][];
            totals: components["schemas"]["BounceTotals"];
            period: components["schemas"]["StatisticsPeriod"];
        };
        BounceTotals: {
            bounces: number;
            hard: number;
            soft: number;
            block: number;
            unknown: number;
        };
        /** @enum {string} */
        BounceType: "hard" | "soft" | "block" | "complaint" | "unknown";
        CancelEmailsRequest: {
            tag?: string;
            /** Format: uuid */
            domain_id?: string;
            recipient?: string;
            /**
             * Format: date-time
             * @description Only emails accepted at or after this time.
             */
            from?: string;
            /**
             * Format: date-time
             * @description Only emails accepted before this time.
             */
            to?: string;
        };
        CanceledEmails: {
            canceled: number;
            /** @description Number of matching emails not canceled because a delivery attempt was running. They are sent, or wait again, and another call can then cancel them. */
            in_progress: number;
            /** @description True when the call ended after 20 seconds and more emails may match. Repeat the call to continue. */
            more: boolean;
        };
        CanceledEmailsResponse: {
            data: components["schemas"]["CanceledEmails"];
        };
        ChangePasswordRequest: {
            current_password: string;
            new_password: string;
        };
        /** @description Features that override the plan. Null removes the override. */
        ChangedFeatures: {
            risk?: boolean | null;
            content_events?: boolean | null;
        };
        /** @description Limits that override the plan: a number, null for unlimited, or `plan` to remove the override. */
        ChangedLimits: {
            emails?: (number | null) | "plan";
            validations?: (number | null) | "plan";
            content_checks?: (number | null) | "plan";
            risk_previews?: (number | null) | "plan";
            webhooks?: (number | null) | "plan";
        };
        ClearedInbox: {
            deleted: number;
        };
        ClearedInboxResponse: {
            data: components["schemas"]["ClearedInbox"];
        };
        ClickDay: {
            /**
             * Format: date
             * @example 2026-01-31
             */
            date: string;
            clicks: number;
            unique_clicks: number;
            bot_clicks: number;
        };
        ClickStatistics: {
            data: components["schemas"]["ClickDay"][];
            totals: components["schemas"]["ClickTotals"];
            period: components["schemas"]["StatisticsPeriod"];
        };
        ClickTotals: {
            clicks: number;
            unique_clicks: number;
            bot_clicks: number;
        };
        /** @description DKIM verification of a complaint received by email. `domain` is the verified signer. Null in all other cases. */
        ComplaintDkim: {
            result: components["schemas"]["DkimResult"];
            domain: string | null;
            reason: components["schemas"]["DkimReason"] | null;
        };
        /** @enum {string} */
        ConfidenceLabel: "very_high" | "high" | "medium" | "low" | "very_low";
        Consent: {
            source_url: string | null;
            consent_text: string | null;
            /** Format: date-time */
            timestamp: string | null;
        };
        Contact: {
            /** Format: uuid */
            id: string;
            email: string;
            name: string | null;
            status: components["schemas"]["ContactStatus"];
            source: string;
            consent: components["schemas"]["Consent"];
            earlier_consents: components["schemas"]["EarlierConsent"][];
            /** Format: date-time */
            unsubscribed_at: string | null;
            /** @description Whether the address is on the suppression list. If so, it is sent no email, whatever its status. */
            suppressed: boolean;
            tags: string[];
            double_opt_in: boolean;
            /** Format: date-time */
            confirmation_sent_at: string | null;
            resend_count: number;
            /** Format: date-time */
            confirmed_at: string | null;
            confirmed_ip: string | null;
            confirmed_user_agent: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        ContactEntry: {
            email: string;
            name?: string | null;
            /** @default api */
            source?: string | null;
            consent?: components["schemas"]["GivenConsent"] | null;
            tags?: string[] | null;
            /** @default true */
            double_opt_in?: boolean | null;
        };
        ContactImportResult: {
            /** @description Number of contacts created. */
            imported: number;
            /** @description Number of the imported contacts that are sent a confirmation email. */
            asked: number;
            /** @description Number of entries that were contacts already and stay unchanged. */
            known: number;
            failed: number;
            errors: components["schemas"]["ImportFault"][];
            /** @description Columns of the CSV file that were ignored, in file order. */
            ignored_columns: string[];
        };
        ContactImportResultResponse: {
            data: components["schemas"]["ContactImportResult"];
        };
        ContactList: {
            data: components["schemas"]["Contact"][];
            pagination: components["schemas"]["PagePagination"];
        };
        ContactResponse: {
            data: components["schemas"]["Contact"];
        };
        /** @enum {string} */
        ContactStatus: "pending_confirmation" | "subscribed" | "unsubscribed" | "bounced" | "complained";
        ContentEvent: {
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description ID of the email. Null when the whole message was refused.
             */
            email_id: string | null;
            event: components["schemas"]["ContentEventType"];
            score: number;
            risk_level: components["schemas"]["ContentRiskLevel"];
            /** @description Rules that matched, as returned by `POST /api/v1/content-score`. */
            matches: {
                [key: string]: unknown;
            }[];
            /** Format: date-time */
            created_at: string;
        };
        ContentEventList: {
            data: components["schemas"]["ContentEvent"][];
            pagination: components["schemas"]["CursorPagination"];
        };
        /** @enum {string} */
        ContentEventType: "content.scored" | "content.warned" | "content.blocked";
        ContentMatch: {
            rule: string;
            category: string;
            points: number;
            severity: string;
            /** @description Part of the email in which the rule matched: subject, html, text or header. */
            location: string;
            /** @description Start of the match within that part, in UTF-16 code units. Null when the match has no single position. */
            offset: number | null;
            match: string;
            description: string;
            suggestion: string;
        };
        /** @enum {string} */
        ContentRiskLevel: "low" | "medium" | "high" | "critical";
        ContentScore: {
            /** @enum {string} */
            status: "ok";
            score: number;
            /** @description Risk level: low, medium, high or critical. */
            risk_level: string;
            matches: components["schemas"]["ContentMatch"][];
            suggestions: string[];
            usage: components["schemas"]["ContentUsage"];
        };
        ContentScoreResponse: {
            /** @enum {string} */
            status: "ok";
            score: number;
            /** @description Risk level: low, medium, high or critical. */
            risk_level: string;
            matches: components["schemas"]["ContentMatch"][];
            suggestions: string[];
            usage: components["schemas"]["ContentUsage"];
            data: components["schemas"]["ContentScore"];
        };
        ContentUsage: {
            used: number;
            limit: number | null;
            /** @description Calendar month in UTC, as YYYY-MM. */
            period: string;
        };
        CreateAccountRequest: {
            email: string;
            name: string;
            plan?: components["schemas"]["Plan"];
        };
        CreateApiKeyRequest: {
            name: string;
            scopes?: components["schemas"]["Scope"][];
            domain_ids?: string[] | null;
            /** @description IP addresses and CIDR networks from which the key can be used. Empty means any. */
            allowed_ips?: string[];
            /** Format: date-time */
            expires_at?: string | null;
            mode?: components["schemas"]["KeyMode"];
        };
        CreateContactRequest: {
            email: string;
            name?: string | null;
            /** @default api */
            source?: string | null;
            consent?: components["schemas"]["GivenConsent"] | null;
            /** @description Sender of the confirmation email: an address, or `Name <address>`. */
            from?: string | null;
            /**
             * Format: uuid
             * @description Template of the confirmation email. {{confirm_url}} is replaced by the confirmation link.
             */
            template_id?: string | null;
            /**
             * @description Send the confirmation email despite a soft block.
             * @default false
             */
            override_soft_block?: boolean | null;
            tags?: string[] | null;
            /** @default true */
            double_opt_in?: boolean | null;
        };
        CreateDomainRequest: {
            /**
             * @description A domain name in lowercase ASCII letters, digits, dots and single hyphens: no https://, no path, no underscore, no xn--. One of more than 229 characters cannot be verified: the names of its DNS records would be too long.
             * @example mail.example.com
             */
            domain: string;
            tags?: string[];
        };
        CreateErasureRequest: {
            email: string;
        };
        CreateSuppressionRequest: {
            email: string;
            reason?: components["schemas"]["SuppressionReason"];
            details?: string | null;
            /** Format: date-time */
            expires_at?: string | null;
        };
        CreateTrackingDomainRequest: {
            /**
             * @description A domain name in lowercase ASCII letters, digits, dots and single hyphens: no https://, no path, no underscore, no xn--.
             * @example track.example.com
             */
            domain: string;
        };
        CreateUnsubscribeRequest: {
            email: string;
            reason?: string | null;
        };
        CreateUserRequest: {
            email: string;
            role: components["schemas"]["Role"];
        };
        CreateWebhookRequest: {
            url: string;
            events: components["schemas"]["WebhookEventName"][];
            name?: string;
            domain_ids?: string[] | null;
            is_active?: boolean;
        };
        CreatedAccount: {
            /** Format: uuid */
            id: string;
            api_key: string;
            test_api_key: string;
            dashboard_password: string;
        };
        CreatedAccountResponse: {
            data: components["schemas"]["CreatedAccount"];
        };
        CurrentAccount: {
            /** Format: uuid */
            id: string;
            name: string;
            plan: string;
            /** @description Whether the account is suspended: it can read, but not write or send, until an operator resumes it. */
            suspended: boolean;
        };
        CurrentSession: {
            user: components["schemas"]["CurrentUser"];
            account: components["schemas"]["CurrentAccount"];
            /** @description Whether the session is that of an operator who has opened another account. */
            acting: boolean;
            scopes: string[];
            /** Format: uuid */
            session_id: string;
            /** Format: date-time */
            expires_at: string;
        };
        CurrentSessionResponse: {
            data: components["schemas"]["CurrentSession"];
        };
        CurrentUser: {
            /** Format: uuid */
            id: string;
            email: string;
            role: components["schemas"]["Role"];
            totp_enabled: boolean;
            /** @description Whether the user is an operator of the installation. */
            operator: boolean;
        };
        CursorPagination: {
            /** @description Number of entries. Emails, events and content events are counted up to 100,000. */
            total: number;
            limit: number;
            offset: number;
            /** @description Value of `cursor` for the next page. Null on the last page. */
            next_cursor: string | null;
        };
        DeleteAccountRequest: {
            /** @description The email address of the account, as a safeguard. */
            confirm: string;
        };
        DeleteTrackingDomainResponse: {
            data: components["schemas"]["Deleted"];
            success: boolean;
        };
        DeleteWebhookResponse: {
            data: components["schemas"]["Deleted"];
            success: boolean;
            message: string;
        };
        Deleted: {
            /** Format: uuid */
            id: string;
            deleted: boolean;
        };
        DeletedContact: {
            /** Format: uuid */
            id: string;
            deleted: boolean;
            erased: boolean;
            /** @description Number of waiting emails to the address that were canceled. Only when erased. */
            emails_canceled?: number;
            /**
             * Format: uuid
             * @description ID of the erasure, which shows when all is erased. Only when erased.
             */
            erasure_id?: string;
        };
        DeletedContactResponse: {
            data: components["schemas"]["DeletedContact"];
            success: boolean;
        };
        DeletedDomain: {
            /** Format: uuid */
            id: string;
            domain: string;
        };
        DeletedDomainResponse: {
            data: components["schemas"]["DeletedDomain"];
            success: boolean;
            message: string;
            domain: components["schemas"]["DeletedDomain"];
        };
        DeletedResponse: {
            data: components["schemas"]["Deleted"];
        };
        DeliveryAttempt: {
            /** @description Number of the attempt, starting at 1. */
            attempt: number;
            /** Format: date-time */
            started_at: string;
            duration_ms: number;
            outcome: components["schemas"]["AttemptOutcome"];
            mx: string | null;
            ip: string | null;
            port: number | null;
            source_ip: string | null;
            tls: components["schemas"]["TlsSession"] | null;
            smtp_code: number | null;
            enhanced_code: string | null;
            response: string;
            dialogue: components["schemas"]["DialogueLine"][];
            /** Format: date-time */
            next_attempt_at: string | null;
            /** @description What delayed or prevented the attempt. Null when nothing did. */
            throttled_by: string | null;
        };
        /** @description Outcomes that occurred this month, as in all statistics. An email sent in one month and delivered in the next counts as sent in the first and delivered in the second, so there can be more deliveries than emails sent. */
        DeliveryFigures: {
            delivered: number;
            bounced: number;
            failed: number;
            deferred: number;
            complained: number;
            /** @description Delivered emails divided by sent emails, at most 1. Null when nothing was sent this month. */
            delivery_rate: number | null;
        };
        DialogueLine: {
            /** Format: date-time */
            at: string;
            /** @enum {string} */
            from: "client" | "server";
            line: string;
        };
        /** @enum {string} */
        DkimReason: "unsigned" | "other_domain" | "body_changed" | "bad_signature" | "expired" | "length_limited" | "weak_algorithm" | "weak_key" | "no_key" | "revoked_key" | "unusable_key" | "malformed" | "no_answer" | "too_large" | "too_costly";
        /** @enum {string} */
        DkimResult: "pass" | "fail" | "none" | "unknown";
        DkimRotation: {
            selector: string;
            status: components["schemas"]["DnsRecordStatus"];
            /** Format: date-time */
            requested_at: string;
        };
        DmarcPeriod: {
            /**
             * Format: date
             * @example 2026-01-31
             */
            from_date: string;
            /**
             * Format: date
             * @example 2026-01-31
             */
            to_date: string;
        };
        /** @description The DMARC policy that the receiver found, and the domain that published it. */
        DmarcPolicy: {
            domain: string;
            p: string | null;
            sp: string | null;
            np: string | null;
            adkim: string | null;
            aspf: string | null;
            testing: boolean;
        };
        DmarcReport: {
            /** Format: uuid */
            id: string;
            domain: string;
            /** @description Organization named in the report. The verified sender is in `dkim`. */
            organization: string;
            report_id: string;
            contact: string | null;
            dkim: components["schemas"]["DmarcReportDkim"];
            /** Format: date-time */
            begins_at: string;
            /** Format: date-time */
            ends_at: string;
            policy: components["schemas"]["DmarcPolicy"];
            messages: number;
            /** @description Messages that passed DMARC, by DKIM or by SPF. */
            passed: number;
            quarantined: number;
            rejected: number;
            /** @description Records that are kept: those with the most messages. */
            records_kept: number;
            /** Format: date-time */
            received_at: string;
        };
        /** @description DKIM verification of the report itself: `pass` with the signing `domain`, or the `reason` why not. A report that did not pass proves nothing and is for display only. */
        DmarcReportDkim: {
            result: components["schemas"]["DkimResult"];
            domain: string | null;
            reason: components["schemas"]["DkimReason"] | null;
        };
        DmarcReportList: {
            data: components["schemas"]["DmarcReport"][];
            pagination: components["schemas"]["PagePagination"];
            record: components["schemas"]["DmarcReportingRecord"];
            /** @description The TXT record by which the operator of this service agrees to take the reports (RFC 9990). Null when the domain belongs to the same organization as the service and none is needed. */
            authorization: {
                type: string;
                name: string;
                value: string;
                ttl: number;
            } | null;
        };
        DmarcReportRecord: {
            source_ip: string | null;
            count: number;
            /** @description What the receiver did: none, pass, quarantine or reject. */
            disposition: string;
            dkim_aligned: boolean;
            spf_aligned: boolean;
            reasons: {
                type: string;
                comment: string | null;
            }[];
            header_from: string;
            envelope_from: string | null;
            envelope_to: string | null;
            dkim: {
                domain: string;
                result: string;
                selector: string | null;
            }[];
            spf: {
                domain: string;
                result: string;
                scope: string | null;
            }[];
        };
        DmarcReportWithRecords: {
            /** Format: uuid */
            id: string;
            domain: string;
            /** @description Organization named in the report. The verified sender is in `dkim`. */
            organization: string;
            report_id: string;
            contact: string | null;
            dkim: components["schemas"]["DmarcReportDkim"];
            /** Format: date-time */
            begins_at: string;
            /** Format: date-time */
            ends_at: string;
            policy: components["schemas"]["DmarcPolicy"];
            messages: number;
            /** @description Messages that passed DMARC, by DKIM or by SPF. */
            passed: number;
            quarantined: number;
            rejected: number;
            /** @description Records that are kept: those with the most messages. */
            records_kept: number;
            /** Format: date-time */
            received_at: string;
            records: components["schemas"]["DmarcReportRecord"][];
        };
        DmarcReportWithRecordsResponse: {
            data: components["schemas"]["DmarcReportWithRecords"];
        };
        DmarcReportingRecord: {
            type: string;
            name: string;
            host: string;
            value: string;
            ttl: number;
        };
        DmarcSource: {
            source_ip: string | null;
            messages: number;
            passed: number;
            dkim_aligned: number;
            spf_aligned: number;
            /** @description Messages with a good signature of this domain by a key of Posthorn. From an address that is not ours they were forwarded. */
            signed_by_posthorn: number;
            quarantined: number;
            rejected: number;
            /** @description Organizations that reported the address. */
            organizations: number;
            /** Format: date-time */
            last_seen_at: string;
        };
        DmarcSources: components["schemas"]["DmarcSource"][];
        DmarcSourcesResponse: {
            data: components["schemas"]["DmarcSources"];
            period: components["schemas"]["DmarcPeriod"];
            /** @description Signed reports that were summed up: at most the newest 1000 of the period. */
            reports: number;
            /** @description All addresses, of which at most 100 are listed. */
            sources: number;
        };
        DnsCheck: {
            status: components["schemas"]["DnsRecordStatus"];
            found: string[];
            error: string | null;
            expected: string;
        };
        DnsRecord: {
            type: string;
            purpose: string;
            /** @description Full name of the record, without a trailing dot. */
            name: string;
            /** @description Name of the record relative to the registrable domain. `@` for the domain itself. */
            host: string;
            value: string;
            /** @description Time to live, in seconds. */
            ttl: number;
            priority: number | null;
            required: boolean;
            status: components["schemas"]["DnsRecordStatus"];
            found: string[];
            error: string | null;
            /** Format: date-time */
            last_checked_at: string | null;
        };
        /** @enum {string} */
        DnsRecordStatus: "pending" | "valid" | "missing" | "mismatch" | "multiple" | "error";
        Domain: {
            /** Format: uuid */
            id: string;
            domain: string;
            verification_status: components["schemas"]["VerificationStatus"];
            dkim_selector: string;
            spf_record: string;
            dmarc_record: string;
            is_active: boolean;
            tags: string[];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            verified_at: string | null;
            verification_token: string;
            /** @description Public DKIM key in Base64, as in the p= value of the DNS record. */
            dkim_public_key: string;
            dkim_rotation: components["schemas"]["DkimRotation"] | null;
            previous_dkim_key: components["schemas"]["PreviousDkimKey"] | null;
            /** @description Null inherits the setting of the account. */
            tracking_enabled: boolean | null;
            /** @description Null inherits the setting of the account. */
            open_tracking_enabled: boolean | null;
            /** @description Null inherits the setting of the account. */
            click_tracking_enabled: boolean | null;
            /** @description Null inherits the setting of the account. */
            unsubscribe_header_enabled: boolean | null;
            /** Format: uuid */
            tracking_domain_id: string | null;
            /** Format: date-time */
            last_checked_at: string | null;
        };
        DomainChecks: {
            ownership: components["schemas"]["DnsCheck"];
            spf: components["schemas"]["DnsCheck"];
            dkim: components["schemas"]["DnsCheck"];
            dmarc: components["schemas"]["DnsCheck"];
        };
        DomainDetail: {
            /** Format: uuid */
            id: string;
            domain: string;
            verification_status: components["schemas"]["VerificationStatus"];
            dkim_selector: string;
            spf_record: string;
            dmarc_record: string;
            is_active: boolean;
            tags: string[];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            verified_at: string | null;
            verification_token: string;
            /** @description Public DKIM key in Base64, as in the p= value of the DNS record. */
            dkim_public_key: string;
            dkim_rotation: components["schemas"]["DkimRotation"] | null;
            previous_dkim_key: components["schemas"]["PreviousDkimKey"] | null;
            /** @description Null inherits the setting of the account. */
            tracking_enabled: boolean | null;
            /** @description Null inherits the setting of the account. */
            open_tracking_enabled: boolean | null;
            /** @description Null inherits the setting of the account. */
            click_tracking_enabled: boolean | null;
            /** @description Null inherits the setting of the account. */
            unsubscribe_header_enabled: boolean | null;
            /** Format: uuid */
            tracking_domain_id: string | null;
            /** Format: date-time */
            last_checked_at: string | null;
            /** @description Private DKIM key as PKCS#8 PEM. Shown only once. */
            dkim_private_key: string;
        };
        DomainDetailResponse: {
            data: components["schemas"]["DomainDetail"];
            domain: components["schemas"]["DomainDetail"];
        };
        DomainDns: {
            domain: string;
            dns_records: components["schemas"]["DnsRecord"][];
            optional_records: components["schemas"]["DnsRecord"][];
        };
        DomainDnsResponse: {
            data: components["schemas"]["DomainDns"];
            domain: string;
            dns_records: components["schemas"]["DnsRecord"][];
            optional_records: components["schemas"]["DnsRecord"][];
        };
        DomainEventData: {
            /** Format: uuid */
            domain_id: string;
            domain: string;
            verification_status: components["schemas"]["VerificationStatus"];
            checks: components["schemas"]["EventDomainChecks"] | null;
        };
        DomainFigures: {
            /**
             * Format: uuid
             * @description It may be a domain that has been removed.
             */
            domain_id: string;
            sent: number;
            bounces: number;
            hard: number;
            soft: number;
            block: number;
            unknown: number;
            spam_complaints: number;
            opens: number;
            unique_opens: number;
            machine_opens: number;
            desktop: number;
            mobile: number;
            webmail: number;
            platforms: components["schemas"]["PlatformTotals"];
            clicks: number;
            unique_clicks: number;
            bot_clicks: number;
            delivered: number;
            unsubscribes: number;
            failed: number;
            suppressed: number;
            delivery_rate: number | null;
            bounce_rate: number | null;
            complaint_rate: number | null;
            open_rate: number | null;
            click_rate: number | null;
        };
        DomainList: {
            data: components["schemas"]["Domain"][];
            pagination: components["schemas"]["PagePagination"];
            domains: components["schemas"]["Domain"][];
        };
        DomainResponse: {
            data: components["schemas"]["Domain"];
            domain: components["schemas"]["Domain"];
        };
        DomainStatistics: {
            data: components["schemas"]["DomainFigures"][];
            period: components["schemas"]["StatisticsPeriod"];
        };
        DomainVerification: {
            /** Format: uuid */
            id: string;
            domain: string;
            verification_status: components["schemas"]["VerificationStatus"];
            dkim_selector: string;
            spf_record: string;
            dmarc_record: string;
            is_active: boolean;
            tags: string[];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            verified_at: string | null;
            verification_token: string;
            /** @description Public DKIM key in Base64, as in the p= value of the DNS record. */
            dkim_public_key: string;
            dkim_rotation: components["schemas"]["DkimRotation"] | null;
            previous_dkim_key: components["schemas"]["PreviousDkimKey"] | null;
            /** @description Null inherits the setting of the account. */
            tracking_enabled: boolean | null;
            /** @description Null inherits the setting of the account. */
            open_tracking_enabled: boolean | null;
            /** @description Null inherits the setting of the account. */
            click_tracking_enabled: boolean | null;
            /** @description Null inherits the setting of the account. */
            unsubscribe_header_enabled: boolean | null;
            /** Format: uuid */
            tracking_domain_id: string | null;
            /** Format: date-time */
            last_checked_at: string | null;
            verified: boolean;
            checks: components["schemas"]["DomainChecks"];
            dns_records: components["schemas"]["DnsRecord"][];
            /** Format: date-time */
            next_check_at: string | null;
        };
        DomainVerificationResponse: {
            data: components["schemas"]["DomainVerification"];
            success: boolean;
            domain: components["schemas"]["Domain"];
            verified: boolean;
            verification_status: components["schemas"]["VerificationStatus"];
            checks: components["schemas"]["DomainChecks"];
            dns_records: components["schemas"]["DnsRecord"][];
            /** Format: date-time */
            next_check_at: string | null;
        };
        EarlierConsent: {
            source: string;
            source_url: string | null;
            consent_text: string | null;
            /** Format: date-time */
            timestamp: string | null;
            /** Format: date-time */
            confirmed_at: string | null;
            confirmed_ip: string | null;
            confirmed_user_agent: string | null;
            /** Format: date-time */
            unsubscribed_at: string | null;
        };
        Email: {
            id: string;
            message_id: string;
            from: string;
            from_name: string | null;
            to: string;
            cc: string[];
            reply_to: string[];
            subject: string;
            status: components["schemas"]["EmailStatus"];
            stream: components["schemas"]["Stream"];
            tag: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            domain_id: string | null;
            sandbox: boolean;
            /** @description Size of the message as sent, in bytes. An estimate until the first attempt. */
            size: number;
            attempts_count: number;
            last_smtp_code: number | null;
            last_response: string | null;
            /** Format: date-time */
            next_attempt_at: string | null;
            open_count: number;
            click_count: number;
            risk: {
                [key: string]: unknown;
            } | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            scheduled_at: string | null;
            /** Format: date-time */
            expires_at: string;
            /** Format: date-time */
            delivered_at: string | null;
            /** Format: date-time */
            ended_at: string | null;
        };
        EmailAttachment: {
            filename: string | null;
            content_type: string;
            content_id: string | null;
            disposition: string | null;
            size: number;
        };
        EmailDetail: {
            id: string;
            message_id: string;
            from: string;
            from_name: string | null;
            to: string;
            cc: string[];
            reply_to: string[];
            subject: string;
            status: components["schemas"]["EmailStatus"];
            stream: components["schemas"]["Stream"];
            tag: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            domain_id: string | null;
            sandbox: boolean;
            /** @description Size of the message as sent, in bytes. An estimate until the first attempt. */
            size: number;
            attempts_count: number;
            last_smtp_code: number | null;
            last_response: string | null;
            /** Format: date-time */
            next_attempt_at: string | null;
            open_count: number;
            click_count: number;
            risk: {
                [key: string]: unknown;
            } | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            scheduled_at: string | null;
            /** Format: date-time */
            expires_at: string;
            /** Format: date-time */
            delivered_at: string | null;
            /** Format: date-time */
            ended_at: string | null;
            headers: {
                [key: string]: string;
            };
            html: string | null;
            text: string | null;
            attachments: components["schemas"]["EmailAttachment"][];
            attempts: components["schemas"]["DeliveryAttempt"][];
            events: components["schemas"]["Event"][];
        };
        EmailDetailResponse: {
            data: components["schemas"]["EmailDetail"];
        };
        EmailList: {
            data: components["schemas"]["Email"][];
            pagination: components["schemas"]["CursorPagination"];
        };
        /** @enum {string} */
        EmailStatus: "scheduled" | "queued" | "deferred" | "delivered" | "bounced" | "failed" | "suppressed" | "canceled" | "complained";
        EmailUsage: {
            used: number;
            sent: number;
            limit: number | null;
            remaining: number | null;
        };
        EnableSecondFactorRequest: {
            code: string;
        };
        Erasure: {
            /** Format: uuid */
            id: string;
            /** @description Null once the erasure is completed: nothing keeps the address then. */
            email: string | null;
            status: components["schemas"]["ErasureStatus"];
            /** @description Number of emails that waited for the address and were canceled. */
            emails_canceled: number;
            /** @description Number of emails erased so far, canceled ones included. */
            emails_erased: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            completed_at: string | null;
        };
        ErasureList: {
            data: components["schemas"]["Erasure"][];
            pagination: components["schemas"]["PagePagination"];
        };
        ErasureResponse: {
            data: components["schemas"]["Erasure"];
        };
        /** @enum {string} */
        ErasureStatus: "pending" | "completed";
        Error: {
            /** @description For people; may change. */
            error: string;
            /** @description For programs; does not change. */
            code: string;
            /** @description Depends on the code. Empty when there is none. */
            details: {
                [key: string]: unknown;
            };
            /** @description Same as the header X-Request-ID. */
            request_id: string;
        };
        /** @description One of the event types, told apart by `event`. The events guide shows each of them. */
        Event: components["schemas"]["EventEmailSent"] | components["schemas"]["EventEmailDelivered"] | components["schemas"]["EventEmailOpened"] | components["schemas"]["EventEmailClicked"] | components["schemas"]["EventEmailBounced"] | components["schemas"]["EventEmailComplained"] | components["schemas"]["EventEmailUnsubscribed"] | components["schemas"]["EventEmailFailed"] | components["schemas"]["EventEmailScheduled"] | components["schemas"]["EventEmailDeferred"] | components["schemas"]["EventEmailSuppressed"] | components["schemas"]["EventEmailCanceled"] | components["schemas"]["EventDomainVerified"] | components["schemas"]["EventDomainVerificationFailed"] | components["schemas"]["EventSuppressionCreated"] | components["schemas"]["EventSuppressionDeleted"] | components["schemas"]["EventContactConfirmed"] | components["schemas"]["EventHealthGradeChanged"];
        EventContactConfirmed: {
            /** Format: uuid */
            event_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "contact.confirmed";
            /** Format: date-time */
            timestamp: string;
            data: components["schemas"]["EventContactConfirmedData"];
        };
        EventContactConfirmedData: {
            /** Format: uuid */
            contact_id: string;
            email: string | null;
            previous_status: string;
            status: string;
            /** Format: date-time */
            confirmed_at: string;
            source: string | null;
            consent: {
                [key: string]: unknown;
            } | null;
        };
        EventDnsCheck: {
            status: string;
            expected: string;
            found: string[];
            error: string | null;
        };
        EventDomainChecks: {
            ownership: components["schemas"]["EventDnsCheck"];
            spf: components["schemas"]["EventDnsCheck"];
            dkim: components["schemas"]["EventDnsCheck"];
            dmarc: components["schemas"]["EventDnsCheck"];
        };
        EventDomainVerificationFailed: {
            /** Format: uuid */
            event_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "domain.verification_failed";
            /** Format: date-time */
            timestamp: string;
            /** Format: uuid */
            email_id: string | null;
            tag: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            data: components["schemas"]["DomainEventData"];
        };
        EventDomainVerified: {
            /** Format: uuid */
            event_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "domain.verified";
            /** Format: date-time */
            timestamp: string;
            /** Format: uuid */
            email_id: string | null;
            tag: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            data: components["schemas"]["DomainEventData"];
        };
        EventEmailBounced: {
            /** Format: uuid */
            event_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "email.bounced";
            /** Format: date-time */
            timestamp: string;
            /** Format: uuid */
            email_id: string;
            tag: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            data: components["schemas"]["EventEmailBouncedData"];
        };
        EventEmailBouncedData: {
            recipient: string | null;
            from: string | null;
            from_name: string | null;
            subject: string | null;
            message_id: string | null;
            /** Format: uuid */
            domain_id: string | null;
            sandbox: boolean;
            stream: components["schemas"]["Stream"];
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            email_id: string;
            tag: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            type: components["schemas"]["BounceType"];
            category: string;
            smtp_code: number | null;
            enhanced_code: string | null;
            diagnostic_code: string | null;
            error_message: string | null;
            command: components["schemas"]["BounceCommand"] | null;
            remote_mta: components["schemas"]["RemoteMta"] | null;
            source: components["schemas"]["BounceSource"];
            feedback_type: string | null;
            attempt: number | null;
            suppressed: boolean;
            /** Format: uuid */
            suppression_id: string | null;
            report_dkim: components["schemas"]["ComplaintDkim"] | null;
            /** Format: date-time */
            bounced_at: string;
            /** Format: date-time */
            created_at: string;
        };
        EventEmailCanceled: {
            /** Format: uuid */
            event_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "email.canceled";
            /** Format: date-time */
            timestamp: string;
            /** Format: uuid */
            email_id: string;
            tag: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            data: components["schemas"]["EventEmailCanceledData"];
        };
        EventEmailCanceledData: {
            recipient: string | null;
            from: string | null;
            from_name: string | null;
            subject: string | null;
            message_id: string | null;
            /** Format: uuid */
            domain_id: string | null;
            sandbox: boolean;
            stream: components["schemas"]["Stream"];
            /** Format: date-time */
            canceled_at: string;
        };
        EventEmailClicked: {
            /** Format: uuid */
            event_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "email.clicked";
            /** Format: date-time */
            timestamp: string;
            /** Format: uuid */
            email_id: string;
            tag: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            data: components["schemas"]["EventEmailClickedData"];
        };
        EventEmailClickedData: {
            recipient: string | null;
            from: string | null;
            from_name: string | null;
            subject: string | null;
            message_id: string | null;
            /** Format: uuid */
            domain_id: string | null;
            sandbox: boolean;
            stream: components["schemas"]["Stream"];
            /** Format: date-time */
            opened_at: string | null;
            first_open: boolean | null;
            open_count: number | null;
            user_agent: string | null;
            ip: string | null;
            platform: components["schemas"]["Platform"];
            client: string | null;
            is_machine: boolean;
            machine_reason: string | null;
            /** Format: date-time */
            clicked_at: string;
            url: string | null;
            link_index: number;
            first_click: boolean | null;
            click_count: number | null;
        };
        EventEmailComplained: {
            /** Format: uuid */
            event_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "email.complained";
            /** Format: date-time */
            timestamp: string;
            /** Format: uuid */
            email_id: string;
            tag: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            data: components["schemas"]["EventEmailComplainedData"];
        };
        EventEmailComplainedData: {
            recipient: string | null;
            from: string | null;
            from_name: string | null;
            subject: string | null;
            message_id: string | null;
            /** Format: uuid */
            domain_id: string | null;
            sandbox: boolean;
            stream: components["schemas"]["Stream"];
            feedback_type: string;
            reporting_mta: string | null;
            /** Format: date-time */
            arrival_date: string | null;
            suppressed: boolean;
        };
        EventEmailDeferred: {
            /** Format: uuid */
            event_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "email.deferred";
            /** Format: date-time */
            timestamp: string;
            /** Format: uuid */
            email_id: string;
            tag: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            data: components["schemas"]["EventEmailDeferredData"];
        };
        EventEmailDeferredData: {
            recipient: string | null;
            from: string | null;
            from_name: string | null;
            subject: string | null;
            message_id: string | null;
            /** Format: uuid */
            domain_id: string | null;
            sandbox: boolean;
            stream: components["schemas"]["Stream"];
            enhanced_code: string | null;
            response: string | null;
            smtp_code: number | null;
            attempt: number;
            /** Format: date-time */
            next_attempt_at: string | null;
        };
        EventEmailDelivered: {
            /** Format: uuid */
            event_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "email.delivered";
            /** Format: date-time */
            timestamp: string;
            /** Format: uuid */
            email_id: string;
            tag: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            data: components["schemas"]["EventEmailDeliveredData"];
        };
        EventEmailDeliveredData: {
            recipient: string | null;
            from: string | null;
            from_name: string | null;
            subject: string | null;
            message_id: string | null;
            /** Format: uuid */
            domain_id: string | null;
            sandbox: boolean;
            stream: components["schemas"]["Stream"];
            enhanced_code: string | null;
            response: string | null;
            /** Format: date-time */
            delivered_at: string;
            smtp_code: number;
            remote_mta: components["schemas"]["RemoteMta"] | null;
            tls: components["schemas"]["TlsSession"] | null;
            attempts: number;
            delivery_time_ms: number;
        };
        EventEmailFailed: {
            /** Format: uuid */
            event_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "email.failed";
            /** Format: date-time */
            timestamp: string;
            /** Format: uuid */
            email_id: string;
            tag: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            data: components["schemas"]["EventEmailFailedData"];
        };
        EventEmailFailedData: {
            recipient: string | null;
            from: string | null;
            from_name: string | null;
            subject: string | null;
            message_id: string | null;
            /** Format: uuid */
            domain_id: string | null;
            sandbox: boolean;
            stream: components["schemas"]["Stream"];
            reason: string;
            last_smtp_code: number | null;
            last_response: string | null;
            attempts: number;
        };
        EventEmailOpened: {
            /** Format: uuid */
            event_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "email.opened";
            /** Format: date-time */
            timestamp: string;
            /** Format: uuid */
            email_id: string;
            tag: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            data: components["schemas"]["EventEmailOpenedData"];
        };
        EventEmailOpenedData: {
            recipient: string | null;
            from: string | null;
            from_name: string | null;
            subject: string | null;
            message_id: string | null;
            /** Format: uuid */
            domain_id: string | null;
            sandbox: boolean;
            stream: components["schemas"]["Stream"];
            /** Format: date-time */
            opened_at: string;
            first_open: boolean | null;
            open_count: number | null;
            user_agent: string | null;
            ip: string | null;
            platform: components["schemas"]["Platform"];
            client: string | null;
            is_machine: boolean;
            machine_reason: string | null;
        };
        EventEmailScheduled: {
            /** Format: uuid */
            event_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "email.scheduled";
            /** Format: date-time */
            timestamp: string;
            /** Format: uuid */
            email_id: string;
            tag: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            data: components["schemas"]["EventEmailScheduledData"];
        };
        EventEmailScheduledData: {
            recipient: string | null;
            from: string | null;
            from_name: string | null;
            subject: string | null;
            message_id: string | null;
            /** Format: uuid */
            domain_id: string | null;
            sandbox: boolean;
            stream: components["schemas"]["Stream"];
            /** Format: date-time */
            scheduled_at: string;
        };
        EventEmailSent: {
            /** Format: uuid */
            event_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "email.sent";
            /** Format: date-time */
            timestamp: string;
            /** Format: uuid */
            email_id: string;
            tag: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            data: components["schemas"]["EventEmailSentData"];
        };
        EventEmailSentData: {
            recipient: string | null;
            from: string | null;
            from_name: string | null;
            subject: string | null;
            message_id: string | null;
            /** Format: uuid */
            domain_id: string | null;
            sandbox: boolean;
            stream: components["schemas"]["Stream"];
            /** Format: date-time */
            queued_at: string;
        };
        EventEmailSuppressed: {
            /** Format: uuid */
            event_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "email.suppressed";
            /** Format: date-time */
            timestamp: string;
            /** Format: uuid */
            email_id: string;
            tag: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            data: components["schemas"]["EventEmailSuppressedData"];
        };
        EventEmailSuppressedData: {
            recipient: string | null;
            from: string | null;
            from_name: string | null;
            subject: string | null;
            message_id: string | null;
            /** Format: uuid */
            domain_id: string | null;
            sandbox: boolean;
            stream: components["schemas"]["Stream"];
            reason: string;
        };
        EventEmailUnsubscribed: {
            /** Format: uuid */
            event_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "email.unsubscribed";
            /** Format: date-time */
            timestamp: string;
            tag: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            data: components["schemas"]["EventEmailUnsubscribedData"];
        };
        EventEmailUnsubscribedData: {
            recipient: string | null;
            from: string | null;
            from_name: string | null;
            subject: string | null;
            message_id: string | null;
            /** Format: uuid */
            domain_id: string | null;
            sandbox: boolean;
            stream: components["schemas"]["Stream"] | null;
            email: string | null;
            /** @enum {string} */
            source: "one_click" | "link" | "mailto" | "api" | "manual" | "import";
            reason: string | null;
            /** Format: date-time */
            unsubscribed_at: string;
        };
        EventHealthGradeChanged: {
            /** Format: uuid */
            event_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "health.grade_changed";
            /** Format: date-time */
            timestamp: string;
            /** Format: uuid */
            email_id: string | null;
            tag: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            data: components["schemas"]["EventHealthGradeChangedData"];
        };
        EventHealthGradeChangedData: {
            previous_grade: string | null;
            grade: string | null;
            score: number | null;
        };
        EventList: {
            data: components["schemas"]["Event"][];
            pagination: components["schemas"]["CursorPagination"];
        };
        EventSuppressionCreated: {
            /** Format: uuid */
            event_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "suppression.created";
            /** Format: date-time */
            timestamp: string;
            /** Format: uuid */
            email_id: string | null;
            tag: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            data: components["schemas"]["SuppressionEventData"];
        };
        EventSuppressionDeleted: {
            /** Format: uuid */
            event_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "suppression.deleted";
            /** Format: date-time */
            timestamp: string;
            /** Format: uuid */
            email_id: string | null;
            tag: string | null;
            metadata: {
                [key: string]: unknown;
            } | null;
            data: components["schemas"]["SuppressionEventData"];
        };
        EventTest: {
            /** Format: uuid */
            event_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "test";
            /** Format: date-time */
            timestamp: string;
            /** Format: uuid */
            customer_id: string;
            message: string;
        };
        Features: {
            risk: boolean;
            content_events: boolean;
        };
        GivenConsent: {
            source_url?: string | null;
            consent_text?: string | null;
            /** Format: date-time */
            timestamp?: string | null;
        };
        HealthComponent: {
            name: string;
            weight: number;
            score: number;
            value: number;
            warning: number;
            critical: number;
        };
        HealthFinding: {
            code: string;
            severity: string;
            message: string;
            evidence: {
                [key: string]: number | null;
            };
        };
        HealthMetrics: {
            sent: number;
            delivered: number;
            /** @description Bounces of every type. The component `bounce` counts hard and soft ones alone. */
            bounced: number;
            complained: number;
            delivery_rate: number | null;
            bounce_rate: number | null;
            complaint_rate: number | null;
            open_rate: number | null;
            click_rate: number | null;
        };
        HealthPeriod: {
            /**
             * Format: date
             * @example 2026-01-31
             */
            from_date: string;
            /**
             * Format: date
             * @example 2026-01-31
             */
            to_date: string;
        };
        HealthScore: {
            score: number | null;
            grade: string | null;
            /** @enum {string} */
            status: "ok" | "insufficient_data";
            period: components["schemas"]["HealthPeriod"];
            metrics: components["schemas"]["HealthMetrics"];
            components: components["schemas"]["HealthComponent"][];
            /**
             * @description `score` compared with `previous_score`. Also `flat` when either is null.
             * @enum {string}
             */
            trend: "up" | "flat" | "down";
            /** @description Score of the previous calculation, on the same day or an earlier one. Null when that had too few emails for a score. */
            previous_score: number | null;
            findings: components["schemas"]["HealthFinding"][];
            /** Format: date-time */
            calculated_at: string;
            /** Format: date-time */
            next_calculation_at: string;
            formula_version: number;
        };
        HealthScoreResponse: {
            data: components["schemas"]["HealthScore"];
        };
        ImportContactsRequest: {
            entries: components["schemas"]["ContactEntry"][];
        };
        ImportFault: {
            line: number;
            email: string | null;
            message: string;
        };
        ImportResult: {
            imported: number;
            updated: number;
            failed: number;
            errors: components["schemas"]["ImportFault"][];
            /** @description Columns of the CSV file that were ignored, in file order. */
            ignored_columns: string[];
        };
        ImportResultResponse: {
            data: components["schemas"]["ImportResult"];
        };
        ImportSuppressionsRequest: {
            entries: components["schemas"]["SuppressionEntry"][];
        };
        ImportUnsubscribesRequest: {
            entries: components["schemas"]["UnsubscribeEntry"][];
        };
        InboxAttachment: {
            filename: string | null;
            content_type: string;
            content_id: string | null;
            disposition: string | null;
            size: number;
            /** @description Content of the attachment, Base64-encoded. */
            content: string;
        };
        InboxMail: {
            id: string;
            email_id: string;
            from: string;
            to: string;
            subject: string;
            size: number;
            /** Format: date-time */
            received_at: string;
        };
        InboxMailDetail: {
            id: string;
            email_id: string;
            from: string;
            to: string;
            subject: string;
            size: number;
            /** Format: date-time */
            received_at: string;
            headers: {
                [key: string]: string;
            };
            html: string | null;
            text: string | null;
            attachments: components["schemas"]["InboxAttachment"][];
        };
        InboxMailDetailResponse: {
            data: components["schemas"]["InboxMailDetail"];
        };
        InboxMailList: {
            data: components["schemas"]["InboxMail"][];
            pagination: components["schemas"]["CursorPagination"];
        };
        /** @enum {string} */
        KeyMode: "live" | "sandbox";
        LimitedUsage: {
            emails: components["schemas"]["MeteredUsage"];
            validations: components["schemas"]["MeteredUsage"];
            content_checks: components["schemas"]["MeteredUsage"];
            risk_previews: components["schemas"]["MeteredUsage"];
        };
        Limits: {
            plan: components["schemas"]["Plan"];
            limits: components["schemas"]["PlanLimits"];
            features: components["schemas"]["Features"];
            usage: components["schemas"]["LimitedUsage"];
        };
        LimitsResponse: {
            data: components["schemas"]["Limits"];
        };
        Liveness: {
            status: string;
            version: string;
        };
        LogFollower: {
            name: string;
            lag_seconds: number;
        };
        Machine: {
            /** Format: uuid */
            id: string;
            host: string;
            pid: number;
            roles: string[];
            version: string;
            /**
             * @description State of the process. `silent`: no heartbeat for 30 seconds.
             * @enum {string}
             */
            state: "running" | "silent" | "stopped";
            /** Format: date-time */
            started_at: string;
            /** Format: date-time */
            last_heartbeat_at: string;
            heartbeat_age_seconds: number;
            /** @description 99th percentile of the event loop delay between the last two heartbeats, in milliseconds. */
            event_loop_delay_ms: number;
            memory_bytes: number;
        };
        MachineList: {
            data: components["schemas"]["Machine"][];
            followers: components["schemas"]["LogFollower"][];
        };
        MailProvider: {
            name: string;
            /** @enum {string} */
            tier: "tier_1" | "tier_2" | "tier_3" | "unknown";
        };
        Mailbox: string | components["schemas"]["NamedMailbox"];
        MeteredUsage: {
            used: number;
            limit: number | null;
            remaining: number | null;
        };
        MonthlyUse: {
            emails: number;
            validations: number;
            content_checks: number;
            risk_previews: number;
        };
        NamedMailbox: {
            email: string;
            name?: string | null;
        };
        OpenDay: {
            /**
             * Format: date
             * @example 2026-01-31
             */
            date: string;
            opens: number;
            unique_opens: number;
            machine_opens: number;
        };
        OpenStatistics: {
            data: components["schemas"]["OpenDay"][];
            totals: components["schemas"]["OpenTotals"];
            period: components["schemas"]["StatisticsPeriod"];
        };
        OpenTotals: {
            opens: number;
            unique_opens: number;
            machine_opens: number;
        };
        OperatorAction: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            at: string;
            operator: string;
            ip: string | null;
            action: string;
            /** Format: uuid */
            account_id: string | null;
            account_name: string | null;
            detail: {
                [key: string]: unknown;
            };
        };
        OperatorActionList: {
            data: components["schemas"]["OperatorAction"][];
            pagination: components["schemas"]["PagePagination"];
        };
        OwnFeatures: {
            risk?: boolean;
            content_events?: boolean;
        };
        /** @description Limits set for this account that override its plan. */
        OwnLimits: {
            emails?: number | null;
            validations?: number | null;
            content_checks?: number | null;
            risk_previews?: number | null;
            webhooks?: number | null;
        };
        PagePagination: {
            page: number;
            limit: number;
            /** @description Number of entries on all pages. */
            total: number;
            pages: number;
        };
        PastHealthScore: {
            /**
             * Format: date
             * @example 2026-01-31
             */
            date: string;
            score: number | null;
            grade: string | null;
            delivery_rate: number | null;
            bounce_rate: number | null;
            complaint_rate: number | null;
        };
        PastHealthScoreList: {
            data: components["schemas"]["PastHealthScore"][];
            pagination: components["schemas"]["PagePagination"];
        };
        /** @enum {string} */
        Plan: "starter" | "professional" | "business" | "enterprise" | "custom";
        PlanLimits: {
            emails: number | null;
            validations: number | null;
            content_checks: number | null;
            risk_previews: number | null;
            webhooks: number | null;
            rate: components["schemas"]["RateLimits"];
        };
        PlanRate: {
            per_second: number;
            burst: number;
        };
        PlanRates: {
            default: components["schemas"]["PlanRate"];
            send: components["schemas"]["PlanRate"];
            batch: components["schemas"]["PlanRate"];
            validation: components["schemas"]["PlanRate"];
            verify: components["schemas"]["PlanRate"];
            health_refresh: components["schemas"]["PlanRate"];
        };
        PlanTerms: {
            plan: components["schemas"]["Plan"];
            accounts: number;
            limits: components["schemas"]["AccountLimits"];
            features: components["schemas"]["Features"];
            rates: components["schemas"]["PlanRates"];
        };
        PlanTermsList: {
            data: components["schemas"]["PlanTerms"][];
        };
        /** @enum {string} */
        Platform: "desktop" | "mobile" | "webmail" | "unknown";
        PlatformDay: {
            /**
             * Format: date
             * @example 2026-01-31
             */
            date: string;
            desktop: number;
            mobile: number;
            webmail: number;
            unknown: number;
        };
        PlatformStatistics: {
            data: components["schemas"]["PlatformDay"][];
            totals: components["schemas"]["PlatformTotals"];
            period: components["schemas"]["StatisticsPeriod"];
        };
        PlatformTotals: {
            desktop: number;
            mobile: number;
            webmail: number;
            unknown: number;
        };
        PreviewTemplateDraftRequest: {
            /** @description Mustache template. Values are not escaped. */
            subject: string;
            /** @description Mustache template. {{x}} is HTML-escaped. At most 50000 tags. */
            html?: string | null;
            /** @description Mustache template. Values are not escaped. At most 50000 tags. */
            text?: string | null;
            variables?: {
                [key: string]: unknown;
            } | null;
        };
        PreviewTemplateRequest: {
            version?: number | null;
            variables?: {
                [key: string]: unknown;
            } | null;
        };
        PreviousDkimKey: {
            selector: string;
            /** Format: date-time */
            replaced_at: string;
            /**
             * Format: date-time
             * @description Mail signed with the key may be verified until then.
             */
            keep_record_until: string;
        };
        Profile: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description Receives notices to the account. */
            email: string;
            company: string | null;
            /**
             * @description An IANA time zone name, for your own use. Statistics take their own `timezone`.
             * @example Europe/Vienna
             */
            timezone: string;
            /**
             * @description Language tag. Sets the language of the pages for your recipients (unsubscribe, confirm) and of the built-in confirmation email: en, de, fr, es, it, pt, nl, pl, or English for any other.
             * @example en
             */
            locale: string;
            /** @description Whether opens and clicks are tracked at all. A domain or an email can override each of these four. */
            tracking_enabled: boolean;
            /** @description Whether opens are tracked while tracking_enabled is true. */
            open_tracking_enabled: boolean;
            /** @description Whether clicks are tracked while tracking_enabled is true. */
            click_tracking_enabled: boolean;
            /** @description Whether every email has a List-Unsubscribe header. Bulk and broadcast emails always have it. */
            unsubscribe_header_enabled: boolean;
            /** @description Whether email is refused while its domain is not in use. */
            enforce_sender_verification: boolean;
            /** @description Whether disposable addresses count in the risk verdict. */
            block_disposable_emails: boolean;
            /** @description A disposable address whose confidence is above it is blocked; others from 0.5 get a warning. */
            disposable_confidence_threshold: number;
            /** @description Days after which contents, attempts, events and bounces are deleted. The rows of emails stay 60 days at least. */
            retention_days: number;
            plan: components["schemas"]["Plan"];
            /** Format: date-time */
            created_at: string;
        };
        ProfileResponse: {
            data: components["schemas"]["Profile"];
        };
        ProviderAnswers: {
            /**
             * @description Mailbox provider, by the receiving host. `unknown` when the host belongs to no known provider.
             * @example google
             */
            provider: string;
            attempts: number;
            accepted: number;
            deferred: number;
            bounced: number;
            blocked: number;
        };
        ProviderDay: {
            /**
             * Format: date
             * @example 2026-01-31
             */
            date: string;
            attempts: number;
            accepted: number;
            deferred: number;
            bounced: number;
            blocked: number;
            providers: components["schemas"]["ProviderAnswers"][];
        };
        ProviderRates: {
            /**
             * @description Mailbox provider, by the receiving host. `unknown` when the host belongs to no known provider.
             * @example google
             */
            provider: string;
            attempts: number;
            accepted: number;
            deferred: number;
            bounced: number;
            blocked: number;
            accepted_rate: number | null;
            deferred_rate: number | null;
            bounced_rate: number | null;
            blocked_rate: number | null;
        };
        ProviderStatistics: {
            data: components["schemas"]["ProviderDay"][];
            totals: components["schemas"]["ProviderTotals"];
            period: components["schemas"]["StatisticsPeriod"];
        };
        ProviderTotals: {
            attempts: number;
            accepted: number;
            deferred: number;
            bounced: number;
            blocked: number;
            accepted_rate: number | null;
            deferred_rate: number | null;
            bounced_rate: number | null;
            blocked_rate: number | null;
            providers: components["schemas"]["ProviderRates"][];
        };
        QueueCause: {
            /** @description The last response of one of the emails. Null where no attempt has had a result. */
            response: string | null;
            smtp_code: number | null;
            emails: number;
            /** @description Number of accounts that have such emails. */
            accounts: number;
            /** @description Number of destinations that such emails wait for. */
            destinations: number;
            /** @description The destinations with the most such emails. */
            top_destinations: string[];
            /** Format: date-time */
            next_attempt_at: string;
        };
        QueueCauseList: {
            data: components["schemas"]["QueueCause"][];
            examined: number;
            /** Format: date-time */
            counted_at: string;
        };
        QueueDestination: {
            destination: string;
            /** Format: date-time */
            paused_at: string | null;
            /** @description Number of emails ready for an attempt. */
            ready: number;
            /** @description Number of emails that a process has taken for an attempt. */
            leased: number;
            /** @description Number of deferred emails. */
            waiting: number;
            scheduled: number;
            /** @description How many of all these are sandbox emails. They go to the inbox, so no receiver answers them. */
            sandbox: number;
            /** Format: date-time */
            oldest_at: string | null;
            /** Format: date-time */
            next_attempt_at: string | null;
            attempts_per_minute: number;
            delivered_per_minute: number;
            last_response: string | null;
            last_outcome: components["schemas"]["AttemptOutcome"] | null;
            /** Format: date-time */
            last_attempt_at: string | null;
        };
        QueueList: {
            data: components["schemas"]["QueueDestination"][];
            totals: components["schemas"]["QueueTotals"];
            /** Format: date-time */
            counted_at: string;
        };
        QueueTotals: {
            ready: number;
            leased: number;
            waiting: number;
        };
        QueuedReplay: {
            queued: number;
        };
        QueuedReplayResponse: {
            data: components["schemas"]["QueuedReplay"];
            success: boolean;
        };
        RateLimit: {
            limit: number;
            window_seconds: number;
        };
        RateLimits: {
            default: components["schemas"]["RateLimit"];
            send: components["schemas"]["RateLimit"];
            batch: components["schemas"]["RateLimit"];
            validation: components["schemas"]["RateLimit"];
            verify: components["schemas"]["RateLimit"];
            health_refresh: components["schemas"]["RateLimit"];
        };
        Readiness: {
            status: string;
            roles: string[];
        };
        ReadinessCheck: {
            code: string;
            label: string;
            passed: boolean;
            required: boolean;
            message: string;
        };
        ReadinessTracking: {
            configured: boolean;
            domain: string | null;
            is_verified: boolean;
            ssl_enabled: boolean;
        };
        ReasonCount: {
            reason_code: string;
            count: number;
        };
        RecoveryCodes: {
            recovery_codes: string[];
        };
        RecoveryCodesResponse: {
            data: components["schemas"]["RecoveryCodes"];
        };
        RemoteMta: {
            host: string | null;
            ip: string | null;
        };
        RemoveSecondFactorRequest: {
            current_password: string;
            code?: string;
        };
        RemovedAddress: {
            email: string;
        };
        RemovedAddressResponse: {
            email: string;
            message: string;
            data: components["schemas"]["RemovedAddress"];
        };
        ReplayWebhookRequest: {
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            to: string;
            events?: components["schemas"]["WebhookEventName"][];
        };
        ReportBounceRequest: {
            /** Format: uuid */
            email_id?: string | null;
            message_id?: string | null;
            recipient?: string | null;
            /** Format: date-time */
            occurred_at?: string | null;
            type?: components["schemas"]["BounceType"] | null;
            smtp_code?: number | null;
            enhanced_code?: string | null;
            diagnostic_code?: string | null;
        };
        ReportComplaintRequest: {
            /** Format: uuid */
            email_id?: string | null;
            message_id?: string | null;
            recipient?: string | null;
            /** Format: date-time */
            occurred_at?: string | null;
            type?: string | null;
            smtp_code?: number | null;
            enhanced_code?: string | null;
            diagnostic_code?: string | null;
        };
        ReportResult: {
            id: string;
            /** @description Whether the report was matched to an email of the account. */
            matched: boolean;
            email_id: string | null;
            type: string | null;
            suppressed: boolean;
        };
        ReportResultResponse: {
            data: components["schemas"]["ReportResult"];
        };
        RescheduleEmailRequest: {
            /** Format: date-time */
            scheduled_at: string;
        };
        ResendConfirmationRequest: {
            /** @default api */
            source?: string | null;
            consent?: components["schemas"]["GivenConsent"] | null;
            /** @description Sender of the confirmation email: an address, or `Name <address>`. */
            from?: string | null;
            /**
             * Format: uuid
             * @description Template of the confirmation email. {{confirm_url}} is replaced by the confirmation link.
             */
            template_id?: string | null;
            /**
             * @description Send the confirmation email despite a soft block.
             * @default false
             */
            override_soft_block?: boolean | null;
        };
        ResetUserPasswordRequest: Record<string, never>;
        RestoreTemplateVersionRequest: Record<string, never>;
        /** @enum {string} */
        RiskAction: "allow" | "warn" | "soft_block" | "block";
        RiskActionCounts: {
            allow: number;
            warn: number;
            soft_block: number;
            block: number;
        };
        RiskBreakdown: {
            recipient: number;
            content: number;
            sender: number;
            behavior: number;
        };
        RiskFactor: {
            code: string;
            /** @enum {string} */
            category: "recipient" | "content" | "sender" | "behavior";
            points: number;
            /** @enum {string} */
            severity: "info" | "low" | "medium" | "high" | "critical";
            message: string;
        };
        /** @enum {string} */
        RiskLevel: "safe" | "low" | "medium" | "high";
        RiskLevelCounts: {
            safe: number;
            low: number;
            medium: number;
            high: number;
        };
        RiskPolicy: {
            block_disposable_emails: boolean;
            enforce_sender_verification: boolean;
            disposable_confidence_threshold: number;
            customer_plan: string;
        };
        RiskPreview: {
            risk_score: number;
            risk_level: components["schemas"]["RiskLevel"];
            would_block: boolean;
            action: components["schemas"]["RiskAction"];
            reason_code: string | null;
            block_reason: string | null;
            /** @description Whether `override_soft_block` on the send would let the email pass. */
            overridable: boolean;
            risk_factors: components["schemas"]["RiskFactor"][];
            breakdown: components["schemas"]["RiskBreakdown"];
            recommendations: string[];
            policy_snapshot: components["schemas"]["RiskPolicy"];
            engine_version: string;
            quota: components["schemas"]["RiskQuota"];
        };
        RiskPreviewRequest: {
            /** @description Email address of the recipient. */
            to: string;
            subject: string;
            /** @description At most 5242880 bytes. With a template_id, it replaces the part of the template and is sent as written: placeholders are not filled in, except {{unsubscribe}}. */
            html?: string | null;
            /** @description At most 5242880 bytes. With a template_id, it replaces the part of the template and is sent as written: placeholders are not filled in, except {{unsubscribe}}. */
            text?: string | null;
            /** @description Whether this is bulk email, which always has a List-Unsubscribe header. Default false. */
            is_bulk?: boolean | null;
            /** @description Email address, or `Name <address>`. */
            from?: string | null;
            /** @description Name of the sender. Overrides a name in from. */
            from_name?: string | null;
            reply_to?: components["schemas"]["Mailbox"] | components["schemas"]["Mailbox"][] | null;
            /** @description `transactional` (default) is email caused by an action of a user. `broadcast` is email to many; it always has a List-Unsubscribe header. */
            stream?: components["schemas"]["Stream"] | null;
            headers?: {
                [key: string]: string;
            } | null;
            attachments?: components["schemas"]["Attachment"][] | null;
        };
        RiskPreviewResponse: {
            risk_score: number;
            risk_level: components["schemas"]["RiskLevel"];
            would_block: boolean;
            action: components["schemas"]["RiskAction"];
            reason_code: string | null;
            block_reason: string | null;
            /** @description Whether `override_soft_block` on the send would let the email pass. */
            overridable: boolean;
            risk_factors: components["schemas"]["RiskFactor"][];
            breakdown: components["schemas"]["RiskBreakdown"];
            recommendations: string[];
            policy_snapshot: components["schemas"]["RiskPolicy"];
            engine_version: string;
            quota: components["schemas"]["RiskQuota"];
            data: components["schemas"]["RiskPreview"];
        };
        RiskQuota: {
            used: number;
            limit: number | null;
            remaining: number | null;
            /** Format: date-time */
            reset_at: string;
        };
        RiskStatistics: {
            /** @description Calendar month in UTC, as YYYY-MM. */
            period: string;
            used: number;
            limit: number | null;
            remaining: number | null;
            /** Format: date-time */
            reset_at: string;
            total_previews: number;
            by_action: components["schemas"]["RiskActionCounts"];
            by_risk_level: components["schemas"]["RiskLevelCounts"];
            top_reason_codes: components["schemas"]["ReasonCount"][];
            average_score: number | null;
        };
        RiskStatisticsResponse: {
            /** @description Calendar month in UTC, as YYYY-MM. */
            period: string;
            used: number;
            limit: number | null;
            remaining: number | null;
            /** Format: date-time */
            reset_at: string;
            total_previews: number;
            by_action: components["schemas"]["RiskActionCounts"];
            by_risk_level: components["schemas"]["RiskLevelCounts"];
            top_reason_codes: components["schemas"]["ReasonCount"][];
            average_score: number | null;
            data: components["schemas"]["RiskStatistics"];
        };
        /** @enum {string} */
        Role: "owner" | "developer" | "viewer";
        RotateRequest: {
            /** @description Hours for which the old secret stays valid. 0 when absent. */
            grace_period_hours?: number;
        };
        RotatedSmtpCredentials: {
            username: string;
            host: string;
            port: number;
            ports: components["schemas"]["SubmissionPorts"];
            encryption: string;
            auth_methods: string[];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            rotated_at: string | null;
            /** Format: date-time */
            last_used_at: string | null;
            password: string;
            /** Format: date-time */
            previous_valid_until: string | null;
        };
        RotatedSmtpCredentialsResponse: {
            username: string;
            host: string;
            port: number;
            ports: components["schemas"]["SubmissionPorts"];
            encryption: string;
            auth_methods: string[];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            rotated_at: string | null;
            /** Format: date-time */
            last_used_at: string | null;
            password: string;
            /** Format: date-time */
            previous_valid_until: string | null;
            data: components["schemas"]["RotatedSmtpCredentials"];
        };
        /** @enum {string} */
        SandboxResult: "deliver" | "bounce" | "defer" | "fail" | "suppress" | "complain";
        /** @enum {string} */
        Scope: "full" | "send" | "validation" | "risk" | "content" | "emails:read" | "emails:write" | "domains:read" | "domains:write" | "tracking_domains:read" | "tracking_domains:write" | "webhooks:read" | "webhooks:write" | "suppressions:read" | "suppressions:write" | "unsubscribes:read" | "unsubscribes:write" | "contacts:read" | "contacts:write" | "templates:read" | "templates:write" | "api_keys:read" | "api_keys:write" | "smtp:read" | "smtp:write" | "profile:read" | "profile:write" | "bounces:read" | "bounces:write" | "stats:read";
        ScoreContentRequest: {
            subject: string;
            html?: string | null;
            text?: string | null;
        };
        SecondFactorOffer: {
            secret: string;
            url: string;
        };
        SecondFactorOfferResponse: {
            data: components["schemas"]["SecondFactorOffer"];
        };
        SendDay: {
            /**
             * Format: date
             * @example 2026-01-31
             */
            date: string;
            sent: number;
        };
        SendRecipient: {
            email: string;
            /** Format: uuid */
            email_id: string;
            /** @enum {string} */
            status: "queued" | "suppressed" | "unsubscribed" | "blocked";
            reason: string | null;
        };
        SendRequest: {
            /** @description Email address, or `Name <address>`. */
            from: string;
            /** @description Name of the sender. Overrides a name in from. */
            from_name?: string | null;
            to: components["schemas"]["Mailbox"] | components["schemas"]["Mailbox"][];
            cc?: components["schemas"]["Mailbox"] | components["schemas"]["Mailbox"][] | null;
            bcc?: components["schemas"]["Mailbox"] | components["schemas"]["Mailbox"][] | null;
            reply_to?: components["schemas"]["Mailbox"] | components["schemas"]["Mailbox"][] | null;
            /** @description Required without a template_id. With one, it replaces the subject of the template and is sent as written. */
            subject?: string | null;
            /** @description At most 5242880 bytes. With a template_id, it replaces the part of the template and is sent as written: placeholders are not filled in, except {{unsubscribe}}. */
            html?: string | null;
            /** @description At most 5242880 bytes. With a template_id, it replaces the part of the template and is sent as written: placeholders are not filled in, except {{unsubscribe}}. */
            text?: string | null;
            headers?: {
                [key: string]: string;
            } | null;
            attachments?: components["schemas"]["Attachment"][] | null;
            tag?: string | null;
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description Turns tracking of opens and clicks on or off. When absent or null, the setting of the domain or else of the account applies. */
            tracking_enabled?: boolean | null;
            /** @description Whether opens are tracked. Takes effect only while tracking_enabled is true as well. When absent or null, the setting of the domain or else of the account applies. */
            open_tracking_enabled?: boolean | null;
            /** @description Whether clicks are tracked. Takes effect only while tracking_enabled is true as well. When absent or null, the setting of the domain or else of the account applies. */
            click_tracking_enabled?: boolean | null;
            /** @description Whether a List-Unsubscribe header is added. When absent or null, the setting of the domain or else of the account applies. */
            unsubscribe_header_enabled?: boolean | null;
            /** @description Whether this is bulk email, which always has a List-Unsubscribe header. Default false. */
            is_bulk?: boolean | null;
            /** @description `transactional` (default) is email caused by an action of a user. `broadcast` is email to many; it always has a List-Unsubscribe header. */
            stream?: components["schemas"]["Stream"] | null;
            /**
             * Format: date-time
             * @description When to send the email, at most 30 days ahead. A time in the past means now.
             */
            scheduled_at?: string | null;
            /**
             * Format: date-time
             * @description Delivery is not attempted after this time. Must be after scheduled_at.
             */
            expires_at?: string | null;
            /** Format: uuid */
            template_id?: string | null;
            /** @description Version of the template. The current version when absent. */
            template_version?: number | null;
            variables?: {
                [key: string]: unknown;
            } | null;
            /** @description `opportunistic` (default) uses TLS when the receiving server offers it. `required` delivers over TLS only. */
            tls_policy?: components["schemas"]["TlsPolicy"] | null;
            /** @description If true, the email goes to the sandbox inbox and is not delivered. Default false. */
            sandbox?: boolean | null;
            /** @description Simulated outcome of a sandbox email. When absent, the one that a recipient such as `bounce@sandbox.test` names, or else `deliver`. */
            sandbox_result?: components["schemas"]["SandboxResult"] | null;
            /** @description If true, a risk verdict of `soft_block` does not stop the email. Suppressed and unsubscribed addresses are still refused. Default false. */
            override_soft_block?: boolean | null;
        };
        SendResponse: {
            data: components["schemas"]["SendResult"];
            success: boolean;
        };
        SendResult: {
            /** Format: uuid */
            email_id: string;
            message_id: string;
            /** @enum {string} */
            status: "queued" | "scheduled" | "sandboxed";
            to: string[];
            recipients: components["schemas"]["SendRecipient"][];
            /** Format: date-time */
            accepted_at: string;
            /** Format: date-time */
            scheduled_at: string | null;
            tag: string | null;
            stream: components["schemas"]["Stream"];
            risk: components["schemas"]["SendRisk"];
        };
        SendRisk: {
            risk_score: number;
            risk_level: components["schemas"]["RiskLevel"];
            action: components["schemas"]["RiskAction"];
            warnings: string[];
        };
        SendStatistics: {
            data: components["schemas"]["SendDay"][];
            totals: components["schemas"]["SendTotals"];
            period: components["schemas"]["StatisticsPeriod"];
        };
        SendTotals: {
            sent: number;
        };
        SendingFigures: {
            total_sent: number;
            sent_30d: number;
            delivery_rate: number | null;
            bounce_rate: number | null;
            complaint_rate: number | null;
            /**
             * Format: date-time
             * @description To the quarter of an hour: when the one began in which it was sent.
             */
            first_sent_at: string | null;
            /**
             * Format: date-time
             * @description To the quarter of an hour: when the one began in which it was sent.
             */
            last_sent_at: string | null;
        };
        Session: {
            /** Format: uuid */
            id: string;
            current: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_seen_at: string;
            /** Format: date-time */
            expires_at: string;
            ip: string;
            user_agent: string;
        };
        SessionList: {
            data: components["schemas"]["Session"][];
        };
        SetUpRequest: {
            token: string;
            email: string;
            password: string;
            name?: string;
        };
        SignInRequest: {
            email: string;
            password: string;
            code?: string;
        };
        SmtpCredentials: {
            username: string;
            host: string;
            port: number;
            ports: components["schemas"]["SubmissionPorts"];
            encryption: string;
            auth_methods: string[];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            rotated_at: string | null;
            /** Format: date-time */
            last_used_at: string | null;
            password: string;
        };
        SmtpCredentialsResponse: {
            username: string;
            host: string;
            port: number;
            ports: components["schemas"]["SubmissionPorts"];
            encryption: string;
            auth_methods: string[];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            rotated_at: string | null;
            /** Format: date-time */
            last_used_at: string | null;
            password: string;
            data: components["schemas"]["SmtpCredentials"];
        };
        /** @enum {string} */
        SmtpResult: "deliverable" | "rejected" | "greylisted" | "blocked" | "timeout" | "catch_all" | "skipped";
        SmtpSettings: {
            username: string;
            host: string;
            port: number;
            ports: components["schemas"]["SubmissionPorts"];
            encryption: string;
            auth_methods: string[];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            rotated_at: string | null;
            /** Format: date-time */
            last_used_at: string | null;
        };
        SmtpSettingsResponse: {
            data: components["schemas"]["SmtpSettings"];
        };
        SpamDay: {
            /**
             * Format: date
             * @example 2026-01-31
             */
            date: string;
            spam_complaints: number;
        };
        SpamStatistics: {
            data: components["schemas"]["SpamDay"][];
            totals: components["schemas"]["SpamTotals"];
            period: components["schemas"]["StatisticsPeriod"];
        };
        SpamTotals: {
            spam_complaints: number;
        };
        /** @enum {string} */
        SslStatus: "none" | "pending" | "issued" | "failed";
        Statistics: {
            sent: number;
            bounces: number;
            hard: number;
            soft: number;
            block: number;
            unknown: number;
            spam_complaints: number;
            opens: number;
            unique_opens: number;
            machine_opens: number;
            desktop: number;
            mobile: number;
            webmail: number;
            platforms: components["schemas"]["PlatformTotals"];
            clicks: number;
            unique_clicks: number;
            bot_clicks: number;
            delivered: number;
            unsubscribes: number;
            failed: number;
            suppressed: number;
            delivery_rate: number | null;
            bounce_rate: number | null;
            complaint_rate: number | null;
            open_rate: number | null;
            click_rate: number | null;
        };
        StatisticsPeriod: {
            /**
             * Format: date
             * @example 2026-01-31
             */
            from_date: string;
            /**
             * Format: date
             * @example 2026-01-31
             */
            to_date: string;
            timezone: string;
        };
        StatisticsResponse: {
            data: components["schemas"]["Statistics"];
            period: components["schemas"]["StatisticsPeriod"];
        };
        SteeredQueue: {
            destination: string;
            emails: number | null;
        };
        SteeredQueueResponse: {
            data: components["schemas"]["SteeredQueue"];
        };
        /** @enum {string} */
        Stream: "transactional" | "broadcast";
        SubmissionPorts: {
            starttls: number[];
            implicit_tls: number[];
        };
        Suppression: {
            id: string;
            email: string;
            reason: components["schemas"]["SuppressionReason"];
            /** @description Where the suppression came from: smtp, dsn, arf, api, manual or import. */
            source: string;
            domain_id: string | null;
            email_id: string | null;
            bounce_id: string | null;
            details: string | null;
            sandbox: boolean;
            /** Format: date-time */
            expires_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        SuppressionEntry: {
            email: string;
            reason?: components["schemas"]["SuppressionReason"] | null;
            details?: string | null;
            /** Format: date-time */
            expires_at?: string | null;
            sandbox?: boolean | null;
        };
        SuppressionEventData: {
            /** Format: uuid */
            id: string;
            email: string | null;
            reason: components["schemas"]["SuppressionReason"];
            source: string;
            /** Format: uuid */
            domain_id: string | null;
            /** Format: uuid */
            email_id: string | null;
            /** Format: uuid */
            bounce_id: string | null;
            details: string | null;
            sandbox: boolean;
            /** Format: date-time */
            expires_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        SuppressionList: {
            data: components["schemas"]["Suppression"][];
            pagination: components["schemas"]["PagePagination"];
        };
        /** @enum {string} */
        SuppressionReason: "manual" | "repeated_soft_bounce" | "hard_bounce" | "complaint" | "spamtrap";
        SuppressionResponse: {
            data: components["schemas"]["Suppression"];
        };
        Template: {
            /** Format: uuid */
            id: string;
            name: string;
            subject: string;
            html: string | null;
            text: string | null;
            version: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        TemplateList: {
            data: components["schemas"]["Template"][];
            pagination: components["schemas"]["PagePagination"];
        };
        TemplatePreview: {
            subject: string;
            html: string | null;
            text: string | null;
            /** @description Variables that the template uses but that were not given. */
            missing: string[];
        };
        TemplatePreviewResponse: {
            data: components["schemas"]["TemplatePreview"];
        };
        TemplateRequest: {
            name: string;
            /** @description Mustache template. Values are not escaped. */
            subject: string;
            /** @description Mustache template. {{x}} is HTML-escaped. At most 50000 tags. */
            html?: string | null;
            /** @description Mustache template. Values are not escaped. At most 50000 tags. */
            text?: string | null;
        };
        TemplateResponse: {
            data: components["schemas"]["Template"];
        };
        TemplateVersion: {
            /** Format: uuid */
            id: string;
            version: number;
            name: string;
            subject: string;
            html: string | null;
            text: string | null;
            /** Format: date-time */
            created_at: string;
        };
        TemplateVersionList: {
            data: components["schemas"]["TemplateVersion"][];
            pagination: components["schemas"]["PagePagination"];
        };
        TemplateVersionResponse: {
            data: components["schemas"]["TemplateVersion"];
        };
        TestReadiness: {
            /** Format: uuid */
            domain_id: string;
            domain: string;
            verification_status: string;
            domain_age_days: number;
            health_score: number | null;
            grade: string | null;
            sending_stats: components["schemas"]["SendingFigures"];
            tracking_domain: components["schemas"]["ReadinessTracking"];
            /** @enum {string} */
            recommended_test_mode: "basic" | "standard" | "full";
            ready: boolean;
            warnings: string[];
            recommendations: string[];
            checklist: components["schemas"]["ReadinessCheck"][];
        };
        TestReadinessResponse: {
            data: components["schemas"]["TestReadiness"];
        };
        /** @enum {string} */
        TlsPolicy: "opportunistic" | "required";
        TlsReport: {
            id: string;
            domain: string;
            /** @description Organization named in the report. The verified sender is in `dkim`. */
            organization: string;
            report_id: string;
            contact: string | null;
            dkim: components["schemas"]["TlsReportDkim"];
            /** Format: date-time */
            begins_at: string;
            /** Format: date-time */
            ends_at: string;
            successful_sessions: number;
            failed_sessions: number;
            policies: components["schemas"]["TlsReportPolicy"][];
            /** Format: date-time */
            received_at: string;
        };
        /** @description DKIM verification of the report: `pass` with the signing `domain`, or the `reason` why not. A report that did not pass is not valid under RFC 8460 and is for display only. */
        TlsReportDkim: {
            result: components["schemas"]["DkimResult"];
            domain: string | null;
            reason: components["schemas"]["DkimReason"] | null;
        };
        TlsReportFailure: {
            result_type: string;
            sending_mta_ip: string | null;
            receiving_mx_hostname: string | null;
            receiving_ip: string | null;
            failed_sessions: number;
        };
        TlsReportList: {
            data: components["schemas"]["TlsReport"][];
            pagination: components["schemas"]["PagePagination"];
            record: components["schemas"]["TlsReportingRecord"];
        };
        TlsReportPolicy: {
            type: string;
            strings: string[];
            mx: string[];
            successful_sessions: number;
            failed_sessions: number;
            failures: components["schemas"]["TlsReportFailure"][];
        };
        TlsReportingRecord: {
            type: string;
            name: string;
            host: string;
            value: string;
            ttl: number;
        };
        TlsSession: {
            version: string;
            cipher: string;
            /** @enum {string} */
            verified: "none" | "pkix" | "mta_sts" | "dane";
        };
        TrackingCheck: {
            expected: string;
            found: string | null;
            error: string | null;
            /** Format: date-time */
            checked_at: string | null;
        };
        TrackingDnsSetup: {
            record_type: string;
            hostname: string;
            value: string;
            instructions: string;
        };
        TrackingDomain: {
            /** Format: uuid */
            id: string;
            domain: string;
            cname_target: string;
            is_verified: boolean;
            ssl_enabled: boolean;
            /** Format: date-time */
            created_at: string;
            dns_setup: components["schemas"]["TrackingDnsSetup"];
            /** Format: date-time */
            verified_at: string | null;
            ssl_status: components["schemas"]["SslStatus"];
            /** Format: date-time */
            ssl_expires_at: string | null;
            ssl_error: string | null;
            verification: components["schemas"]["TrackingCheck"];
        };
        TrackingDomainList: {
            data: components["schemas"]["TrackingDomain"][];
            pagination: components["schemas"]["PagePagination"];
        };
        TrackingDomainResponse: {
            /** Format: uuid */
            id: string;
            domain: string;
            cname_target: string;
            is_verified: boolean;
            ssl_enabled: boolean;
            /** Format: date-time */
            created_at: string;
            dns_setup: components["schemas"]["TrackingDnsSetup"];
            /** Format: date-time */
            verified_at: string | null;
            ssl_status: components["schemas"]["SslStatus"];
            /** Format: date-time */
            ssl_expires_at: string | null;
            ssl_error: string | null;
            verification: components["schemas"]["TrackingCheck"];
            data: components["schemas"]["TrackingDomain"];
        };
        TrackingDomainVerification: {
            /** Format: uuid */
            id: string;
            domain: string;
            cname_target: string;
            is_verified: boolean;
            ssl_enabled: boolean;
            /** Format: date-time */
            created_at: string;
            dns_setup: components["schemas"]["TrackingDnsSetup"];
            /** Format: date-time */
            verified_at: string | null;
            ssl_status: components["schemas"]["SslStatus"];
            /** Format: date-time */
            ssl_expires_at: string | null;
            ssl_error: string | null;
            verification: components["schemas"]["TrackingCheck"];
            success: boolean;
            verified: boolean;
            data: components["schemas"]["TrackingDomain"];
        };
        Unsubscribe: {
            id: string;
            email: string;
            /** @description How the address was unsubscribed: one_click, link, mailto, api, manual or import. */
            source: string;
            reason: string | null;
            sandbox: boolean;
            /** Format: date-time */
            created_at: string;
        };
        UnsubscribeEntry: {
            email: string;
            reason?: string | null;
            sandbox?: boolean | null;
        };
        UnsubscribeList: {
            data: components["schemas"]["Unsubscribe"][];
            pagination: components["schemas"]["PagePagination"];
            unsubscribes: components["schemas"]["Unsubscribe"][];
        };
        UnsubscribeResponse: {
            data: components["schemas"]["Unsubscribe"];
            message: string;
            unsubscribe: components["schemas"]["Unsubscribe"];
        };
        UpdateAccountRequest: {
            plan?: components["schemas"]["Plan"];
            limits?: components["schemas"]["ChangedLimits"];
            features?: components["schemas"]["ChangedFeatures"];
        };
        UpdateApiKeyRequest: {
            name?: string;
            scopes?: components["schemas"]["Scope"][];
            domain_ids?: string[] | null;
            /** @description IP addresses and CIDR networks from which the key can be used. Empty means any. */
            allowed_ips?: string[];
            /** Format: date-time */
            expires_at?: string | null;
        };
        UpdateContactRequest: {
            name?: string | null;
            tags?: string[];
            /**
             * @description `unsubscribed` adds the address to the unsubscribe list.
             * @enum {string}
             */
            status?: "unsubscribed";
        };
        UpdateDomainRequest: {
            /** @description Null inherits the setting of the account. */
            tracking_enabled?: boolean | null;
            /** @description Null inherits the setting of the account. */
            open_tracking_enabled?: boolean | null;
            /** @description Null inherits the setting of the account. */
            click_tracking_enabled?: boolean | null;
            /** @description Null inherits the setting of the account. */
            unsubscribe_header_enabled?: boolean | null;
            /** Format: uuid */
            tracking_domain_id?: string | null;
            tags?: string[];
        };
        UpdateProfileRequest: {
            name?: string;
            /** @description Receives notices to the account. */
            email?: string;
            company?: string | null;
            /**
             * @description An IANA time zone name, for your own use. Statistics take their own `timezone`.
             * @example Europe/Vienna
             */
            timezone?: string;
            /**
             * @description Language tag. Sets the language of the pages for your recipients (unsubscribe, confirm) and of the built-in confirmation email: en, de, fr, es, it, pt, nl, pl, or English for any other.
             * @example en
             */
            locale?: string;
            /** @description Whether opens and clicks are tracked at all. A domain or an email can override each of these four. */
            tracking_enabled?: boolean;
            /** @description Whether opens are tracked while tracking_enabled is true. */
            open_tracking_enabled?: boolean;
            /** @description Whether clicks are tracked while tracking_enabled is true. */
            click_tracking_enabled?: boolean;
            /** @description Whether every email has a List-Unsubscribe header. Bulk and broadcast emails always have it. */
            unsubscribe_header_enabled?: boolean;
            /** @description Whether email is refused while its domain is not in use. */
            enforce_sender_verification?: boolean;
            /** @description Whether disposable addresses count in the risk verdict. */
            block_disposable_emails?: boolean;
            /** @description A disposable address whose confidence is above it is blocked; others from 0.5 get a warning. */
            disposable_confidence_threshold?: number;
            /** @description Days after which contents, attempts, events and bounces are deleted. The rows of emails stay 60 days at least. */
            retention_days?: number;
        };
        UpdateUserRequest: {
            role: components["schemas"]["Role"];
        };
        UpdateWebhookRequest: {
            name?: string;
            url?: string;
            events?: components["schemas"]["WebhookEventName"][];
            domain_ids?: string[] | null;
            is_active?: boolean;
        };
        Usage: {
            /** @description Calendar month in UTC, as YYYY-MM. */
            period: string;
            plan: components["schemas"]["Plan"];
            /** Format: date-time */
            reset_at: string;
            emails: components["schemas"]["EmailUsage"];
            validations: components["schemas"]["MeteredUsage"];
            content_checks: components["schemas"]["MeteredUsage"];
            risk_previews: components["schemas"]["MeteredUsage"];
            delivery: components["schemas"]["DeliveryFigures"];
        };
        UsageResponse: {
            data: components["schemas"]["Usage"];
        };
        User: {
            /** Format: uuid */
            id: string;
            email: string;
            role: components["schemas"]["Role"];
            totp_enabled: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_seen_at: string | null;
        };
        UserList: {
            data: components["schemas"]["User"][];
        };
        UserResponse: {
            data: components["schemas"]["User"];
        };
        UserWithPassword: {
            /** Format: uuid */
            id: string;
            email: string;
            role: components["schemas"]["Role"];
            totp_enabled: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_seen_at: string | null;
            password: string;
        };
        UserWithPasswordResponse: {
            data: components["schemas"]["UserWithPassword"];
        };
        ValidateAddressRequest: {
            email: string;
        };
        ValidateAddressesRequest: {
            emails?: string[];
            addresses?: string[];
        };
        ValidationChecks: {
            syntax_valid: boolean;
            domain_exists: boolean;
            has_mx_records: boolean;
            is_disposable: boolean;
            is_role_account: boolean;
            mailbox_exists: boolean;
            is_catch_all: boolean;
            smtp_check_performed: boolean;
        };
        ValidationQuota: {
            limit: number | null;
            used: number;
            remaining: number | null;
            /** Format: date-time */
            reset_at: string;
        };
        ValidationQuotaResponse: {
            limit: number | null;
            used: number;
            remaining: number | null;
            /** Format: date-time */
            reset_at: string;
            data: components["schemas"]["ValidationQuota"];
        };
        ValidationSummary: {
            total: number;
            valid: number;
            invalid: number;
            unknown: number;
        };
        /** @enum {string} */
        VerificationStatus: "pending" | "verified" | "temporary_failure" | "failed" | "suspended";
        Webhook: {
            /** Format: uuid */
            id: string;
            name: string;
            url: string;
            events: components["schemas"]["WebhookEventName"][];
            domain_ids: string[] | null;
            /**
             * @description `all` without domain_ids, `domain` with one of them, `group` with several.
             * @enum {string}
             */
            scope: "all" | "domain" | "group";
            is_active: boolean;
            /** @description Signing secret. Only in the responses of create and regenerate. */
            secret?: string;
            secret_last4?: string;
            /**
             * Format: date-time
             * @description Until when `webhook-signature` has a signature by the previous secret too. Null: it has none.
             */
            previous_secret_valid_until: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: date-time */
            last_delivery_at: string | null;
            last_delivery_status: ("success" | "failed") | null;
            consecutive_failures: number;
            /** Format: date-time */
            disabled_at: string | null;
            disabled_reason: string | null;
        };
        WebhookDelivery: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            event_id: string;
            event: string;
            /** Format: uuid */
            email_id: string | null;
            attempt: number;
            status: components["schemas"]["WebhookDeliveryStatus"];
            http_status: number | null;
            duration_ms: number | null;
            response_body: string | null;
            error: string | null;
            /** Format: date-time */
            next_attempt_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        WebhookDeliveryList: {
            data: components["schemas"]["WebhookDelivery"][];
            pagination: components["schemas"]["CursorPagination"];
        };
        /** @enum {string} */
        WebhookDeliveryStatus: "pending" | "success" | "failed";
        /** @description One of the event types, told apart by `event`. The events guide shows each of them. */
        WebhookEvent: components["schemas"]["EventEmailSent"] | components["schemas"]["EventEmailDelivered"] | components["schemas"]["EventEmailOpened"] | components["schemas"]["EventEmailClicked"] | components["schemas"]["EventEmailBounced"] | components["schemas"]["EventEmailComplained"] | components["schemas"]["EventEmailUnsubscribed"] | components["schemas"]["EventEmailFailed"] | components["schemas"]["EventEmailScheduled"] | components["schemas"]["EventEmailDeferred"] | components["schemas"]["EventEmailSuppressed"] | components["schemas"]["EventEmailCanceled"] | components["schemas"]["EventDomainVerified"] | components["schemas"]["EventDomainVerificationFailed"] | components["schemas"]["EventSuppressionCreated"] | components["schemas"]["EventSuppressionDeleted"] | components["schemas"]["EventContactConfirmed"] | components["schemas"]["EventHealthGradeChanged"] | components["schemas"]["EventTest"];
        /** @enum {string} */
        WebhookEventName: "email.sent" | "email.delivered" | "email.opened" | "email.clicked" | "email.bounced" | "email.complained" | "email.unsubscribed" | "email.failed" | "email.scheduled" | "email.deferred" | "email.suppressed" | "email.canceled" | "domain.verified" | "domain.verification_failed" | "suppression.created" | "suppression.deleted" | "contact.confirmed" | "health.grade_changed" | "test" | "*";
        WebhookList: {
            data: components["schemas"]["Webhook"][];
            pagination: components["schemas"]["PagePagination"];
            webhooks: components["schemas"]["Webhook"][];
        };
        WebhookResponse: {
            data: components["schemas"]["Webhook"];
            webhook: components["schemas"]["Webhook"];
        };
        WebhookSecretResponse: {
            data: components["schemas"]["Webhook"];
            webhook: components["schemas"]["Webhook"];
            success: boolean;
            secret: string;
        };
        WebhookTest: {
            /** Format: uuid */
            event_id: string;
            http_status: number | null;
            duration_ms: number;
            response_body: string | null;
            error: string | null;
        };
        WebhookTestResponse: {
            data: components["schemas"]["WebhookTest"];
            success: boolean;
        };
    };
    responses: {
        /** @description already_exists */
        AlreadyExists: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description account_suspended, insufficient_scope, ip_not_allowed */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description internal_error */
        InternalError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description invalid_parameter */
        InvalidParameter: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description invalid_json, invalid_parameter */
        InvalidRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description invalid_state */
        InvalidState: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description not_found */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description not_signed_in */
        NotSignedIn: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description payload_too_large */
        PayloadTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description rate_limit_exceeded */
        RateLimited: {
            headers: {
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description service_unavailable */
        ServiceUnavailable: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description api_key_expired, api_key_revoked, invalid_api_key, missing_api_key */
        Unauthorized: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description unsupported_media_type */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description validation_error */
        ValidationError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description ID of the request, as in the log and in error responses. */
        "X-Request-ID": string;
        /** @description Number of requests that can be made at once. */
        "RateLimit-Limit": number;
        /** @description Number of requests remaining. */
        "RateLimit-Remaining": number;
        /** @description Seconds until all requests are available again. */
        "RateLimit-Reset": number;
        /** @description Same as RateLimit-Limit. */
        "X-RateLimit-Limit": number;
        /** @description Same as RateLimit-Remaining. */
        "X-RateLimit-Remaining": number;
        /** @description Same as RateLimit-Reset. */
        "X-RateLimit-Reset": number;
        /** @description Seconds to wait before the next request. */
        "Retry-After": number;
        /** @description `true` when this is the stored response of the first request with the same key. Absent on the first request. */
        "Idempotent-Replayed": string;
        /** @description The versioned path: `<..>; rel="successor-version"`. */
        Link: string;
        /** @description Since when the path is deprecated (RFC 9745). Absent when no date is set. */
        Deprecation: string;
        /** @description Authentication scheme: `Bearer`. */
        "WWW-Authenticate": string;
        /** @description Name of the file. */
        "Content-Disposition": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description text/plain */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["InvalidParameter"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    checkLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Liveness"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    checkReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getOpenApiDocument: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["InvalidParameter"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description text/html */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["InvalidParameter"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getDocsPage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                page: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description text/html */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["InvalidParameter"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getProfile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileResponse"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateProfile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateProfileRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getUsage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageResponse"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getLimits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LimitsResponse"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getSmtpCredentials: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SmtpCredentialsResponse"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getSmtpSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SmtpSettingsResponse"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rotateSmtpPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RotateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedSmtpCredentialsResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description Number of the page. When neither page nor limit is given, the list comes in full. */
                page?: number;
                /** @description Entries on a page. When neither page nor limit is given, the list comes in full. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiKeyRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyWithSecretResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["InvalidState"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyResponse"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateApiKeyRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["InvalidState"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rotateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RotateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyWithSecretResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["InvalidState"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrentSessionResponse"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["NotSignedIn"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignInRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurrentSessionResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            /** @description invalid_credentials, second_factor_required */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description cross_site_request */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            /** @description rate_limit_exceeded */
            429: {
                headers: {
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["NotSignedIn"];
            /** @description cross_site_request */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["NotSignedIn"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["NotSignedIn"];
            /** @description cross_site_request */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePasswordRequest"];
            };
        };
        responses: {
            /** @description Success */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            /** @description invalid_credentials, not_signed_in */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description cross_site_request */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    enableSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EnableSecondFactorRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryCodesResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            /** @description invalid_credentials, not_signed_in */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description cross_site_request */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    offerSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecondFactorOfferResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["NotSignedIn"];
            /** @description cross_site_request */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description second_factor_in_force */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    removeSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RemoveSecondFactorRequest"];
            };
        };
        responses: {
            /** @description Success */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            /** @description invalid_credentials, not_signed_in, second_factor_required */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description cross_site_request */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listUsers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["NotSignedIn"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateUserRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserWithPasswordResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["NotSignedIn"];
            /** @description cross_site_request, insufficient_role */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description already_exists, invalid_state */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["NotSignedIn"];
            /** @description cross_site_request, insufficient_role */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            404: components["responses"]["NotFound"];
            /** @description last_owner */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateUserRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["NotSignedIn"];
            /** @description cross_site_request, insufficient_role */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            404: components["responses"]["NotFound"];
            /** @description last_owner */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    resetUserPassword: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResetUserPasswordRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserWithPasswordResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["NotSignedIn"];
            /** @description cross_site_request, insufficient_role */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            404: components["responses"]["NotFound"];
            409: components["responses"]["InvalidState"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    setUpInstallation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetUpRequest"];
            };
        };
        responses: {
            /** @description Success */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            /** @description invalid_token */
            401: {
                headers: {
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description cross_site_request */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listAccounts: {
        parameters: {
            query?: {
                /** @description Part of the name or email address of the account, or of the email address of a user; or the ID of the account. */
                search?: string;
                plan?: components["schemas"]["Plan"];
                suspended?: boolean;
                /** @description Number of the page. 1 when absent. */
                page?: number;
                /** @description Entries on a page. 50 when absent. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountOverviewList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["NotSignedIn"];
            /** @description not_operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAccountRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedAccountResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["NotSignedIn"];
            /** @description cross_site_request, not_operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountResponse"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["NotSignedIn"];
            /** @description not_operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            404: components["responses"]["NotFound"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateAccountRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["NotSignedIn"];
            /** @description cross_site_request, not_operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    suspendAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["NotSignedIn"];
            /** @description cross_site_request, not_operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    resumeAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["NotSignedIn"];
            /** @description cross_site_request, not_operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteAccountRequest"];
            };
        };
        responses: {
            /** @description Success */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["NotSignedIn"];
            /** @description cross_site_request, not_operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            404: components["responses"]["NotFound"];
            409: components["responses"]["InvalidState"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    openAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["NotSignedIn"];
            /** @description cross_site_request, not_operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    leaveAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            204: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["NotSignedIn"];
            /** @description cross_site_request, not_operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listOperatorActions: {
        parameters: {
            query?: {
                account_id?: string;
                /** @description Number of the page. 1 when absent. */
                page?: number;
                /** @description Entries on a page. 50 when absent. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatorActionList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["NotSignedIn"];
            /** @description not_operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listPlans: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanTermsList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["NotSignedIn"];
            /** @description not_operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listQueues: {
        parameters: {
            query?: {
                search?: string;
                /** @description 100 when absent. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueueList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["NotSignedIn"];
            /** @description not_operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listQueueCauses: {
        parameters: {
            query?: {
                destination?: string;
                /** @description 20 when absent. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueueCauseList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["NotSignedIn"];
            /** @description not_operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    pauseQueue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                destination: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SteeredQueueResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["NotSignedIn"];
            /** @description cross_site_request, not_operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    resumeQueue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                destination: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SteeredQueueResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["NotSignedIn"];
            /** @description cross_site_request, not_operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    retryQueue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                destination: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SteeredQueueResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["NotSignedIn"];
            /** @description cross_site_request, not_operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listMachines: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MachineList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["NotSignedIn"];
            /** @description not_operator */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listDomains: {
        parameters: {
            query?: {
                /** @description Part of the domain name, case-insensitive. */
                search?: string;
                verification_status?: components["schemas"]["VerificationStatus"];
                /** @description Number of the page. When neither page nor limit is given, the list comes in full. */
                page?: number;
                /** @description Entries on a page. When neither page nor limit is given, the list comes in full. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createDomain: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateDomainRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainDetailResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["AlreadyExists"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainResponse"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedDomainResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["InvalidState"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateDomainRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getDomainDns: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainDnsResponse"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    verifyDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainVerificationResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rotateDomainDkim: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    cancelDomainDkimRotation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listUnsubscribes: {
        parameters: {
            query?: {
                /** @description Number of the page. 1 when absent. */
                page?: number;
                /** @description Entries on a page. 50 when absent. */
                limit?: number;
                search?: string;
                /**
                 * @description Only this day and later ones.
                 * @example 2026-01-31
                 */
                from_date?: string;
                /**
                 * @description Only this day and earlier ones.
                 * @example 2026-01-31
                 */
                to_date?: string;
                /** @description Whether entries of sandbox emails are included. */
                include_sandbox?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnsubscribeList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createUnsubscribe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateUnsubscribeRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnsubscribeResponse"];
                };
            };
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnsubscribeResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteUnsubscribe: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                email: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedAddressResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listSuppressions: {
        parameters: {
            query?: {
                /** @description Number of the page. 1 when absent. */
                page?: number;
                /** @description Entries on a page. 50 when absent. */
                limit?: number;
                search?: string;
                /**
                 * @description Only this day and later ones.
                 * @example 2026-01-31
                 */
                from_date?: string;
                /**
                 * @description Only this day and earlier ones.
                 * @example 2026-01-31
                 */
                to_date?: string;
                /** @description Whether entries of sandbox emails are included. */
                include_sandbox?: boolean;
                reason?: components["schemas"]["SuppressionReason"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuppressionList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createSuppression: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSuppressionRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuppressionResponse"];
                };
            };
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuppressionResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getSuppression: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                email: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuppressionResponse"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteSuppression: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                email: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedAddressResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    importUnsubscribes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportUnsubscribesRequest"];
                "text/csv": string;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportResultResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    exportUnsubscribes: {
        parameters: {
            query?: {
                search?: string;
                /**
                 * @description Only this day and later ones.
                 * @example 2026-01-31
                 */
                from_date?: string;
                /**
                 * @description Only this day and earlier ones.
                 * @example 2026-01-31
                 */
                to_date?: string;
                /** @description Whether entries of sandbox emails are included. */
                include_sandbox?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description text/csv */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    importSuppressions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportSuppressionsRequest"];
                "text/csv": string;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportResultResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    exportSuppressions: {
        parameters: {
            query?: {
                search?: string;
                /**
                 * @description Only this day and later ones.
                 * @example 2026-01-31
                 */
                from_date?: string;
                /**
                 * @description Only this day and earlier ones.
                 * @example 2026-01-31
                 */
                to_date?: string;
                /** @description Whether entries of sandbox emails are included. */
                include_sandbox?: boolean;
                reason?: components["schemas"]["SuppressionReason"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description text/csv */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    answerCertificateChallenge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Key authorization, as text/plain */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string;
                };
            };
            400: components["responses"]["InvalidParameter"];
            /** @description text/html */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    trackOpen: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description GIF of 43 bytes, for any token */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "image/gif": string;
                };
            };
            400: components["responses"]["InvalidParameter"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    trackClick: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Redirect to the original URL, byte for byte */
            302: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidParameter"];
            /** @description text/html */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description text/html */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getUnsubscribePage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description text/html */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["InvalidParameter"];
            /** @description text/html */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    unsubscribe: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description text/html */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["InvalidParameter"];
            /** @description text/html */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listTrackingDomains: {
        parameters: {
            query?: {
                /** @description Number of the page. When neither page nor limit is given, the list comes in full. */
                page?: number;
                /** @description Entries on a page. When neither page nor limit is given, the list comes in full. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrackingDomainList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createTrackingDomain: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTrackingDomainRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrackingDomainResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["AlreadyExists"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getTrackingDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrackingDomainResponse"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteTrackingDomain: {
        parameters: {
            query?: {
                /** @description Deletes the domain even while sending domains use it; they lose it. */
                force?: boolean;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteTrackingDomainResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description tracking_domain_in_use */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    verifyTrackingDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrackingDomainVerification"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    validateAddress: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ValidateAddressRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddressValidationResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            /** @description quota_exceeded, rate_limit_exceeded */
            429: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    validateAddresses: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ValidateAddressesRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddressValidationBatch"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            /** @description quota_exceeded, rate_limit_exceeded */
            429: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getValidationQuota: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidationQuotaResponse"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listBounces: {
        parameters: {
            query?: {
                /** @description Only entries at or after this time. */
                from?: string;
                /** @description Only entries before this time. */
                to?: string;
                type?: components["schemas"]["BounceType"];
                recipient?: string;
                domain_id?: string;
                category?: components["schemas"]["BounceCategory"];
                email_id?: string;
                /** @description Whether bounces of sandbox emails are included. */
                include_sandbox?: boolean;
                /** @description Whether complaints are listed beside bounces. */
                include_complaints?: boolean;
                limit?: number;
                offset?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BounceList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    reportBounce: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReportBounceRequest"];
                "message/rfc822": string;
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportResultResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    reportComplaint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReportComplaintRequest"];
                "message/rfc822": string;
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportResultResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listTlsReports: {
        parameters: {
            query?: {
                /** @description Number of the page. 1 when absent. */
                page?: number;
                /** @description Entries on a page. 50 when absent. */
                limit?: number;
                dkim?: components["schemas"]["DkimResult"];
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TlsReportList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listDmarcReports: {
        parameters: {
            query?: {
                /** @description Number of the page. 1 when absent. */
                page?: number;
                /** @description Entries on a page. 50 when absent. */
                limit?: number;
                dkim?: components["schemas"]["DkimResult"];
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DmarcReportList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getDmarcReport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                report_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DmarcReportWithRecordsResponse"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listDmarcSources: {
        parameters: {
            query?: {
                /**
                 * @description First day of the period (UTC), at most 90 days. 29 before `to_date` when absent.
                 * @example 2026-01-31
                 */
                from_date?: string;
                /**
                 * @description Last day of the period, included. Today when absent.
                 * @example 2026-01-31
                 */
                to_date?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DmarcSourcesResponse"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    sendEmail: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. For 24 hours, the same key with the same body, its fields in any order, returns the stored response and sends nothing again. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendRequest"];
            };
        };
        responses: {
            /** @description Success */
            202: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description account_suspended, insufficient_scope, ip_not_allowed, sender_domain_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description idempotency_in_progress */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description content_risk_high, disposable_high_confidence, disposable_medium_confidence, idempotency_key_reused, previous_complaint, previous_hard_bounce, recipient_suppressed, recipient_unsubscribed, risk_score_critical, sender_not_verified, spamtrap_detected, validation_error, velocity_first_send_bulk, volume_spike */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description quota_exceeded, rate_limit_exceeded */
            429: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    sendBatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to retry. For 24 hours, the same key with the same body, its fields in any order, returns the stored response and sends nothing again. */
                "Idempotency-Key"?: string;
                /** @description `strict` accepts all messages or none; `permissive` accepts each message on its own. */
                "X-Batch-Validation"?: "strict" | "permissive";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BatchRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description idempotency_in_progress */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description idempotency_key_reused, validation_error */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listTemplates: {
        parameters: {
            query?: {
                /** @description Number of the page. When neither page nor limit is given, the list comes in full. */
                page?: number;
                /** @description Entries on a page. When neither page nor limit is given, the list comes in full. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TemplateRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    previewTemplateDraft: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreviewTemplateDraftRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplatePreviewResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateResponse"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    replaceTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TemplateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getTemplateHtml: {
        parameters: {
            query?: {
                version?: number;
                /** @description Values of the template variables, as a JSON object. */
                variables?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description text/html */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    previewTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreviewTemplateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplatePreviewResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listTemplateVersions: {
        parameters: {
            query?: {
                /** @description Number of the page. 1 when absent. */
                page?: number;
                /** @description Entries on a page. 50 when absent. */
                limit?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateVersionList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getTemplateVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateVersionResponse"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    restoreTemplateVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RestoreTemplateVersionRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listContacts: {
        parameters: {
            query?: {
                /** @description Number of the page. 1 when absent. */
                page?: number;
                /** @description Entries on a page. 50 when absent. */
                limit?: number;
                search?: string;
                status?: components["schemas"]["ContactStatus"];
                tag?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createContact: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateContactRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description account_suspended, insufficient_scope, ip_not_allowed, sender_domain_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            409: components["responses"]["AlreadyExists"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description content_risk_high, disposable_high_confidence, disposable_medium_confidence, previous_complaint, previous_hard_bounce, recipient_suppressed, recipient_unsubscribed, risk_score_critical, sender_not_verified, spamtrap_detected, validation_error, velocity_first_send_bulk, volume_spike */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description quota_exceeded, rate_limit_exceeded */
            429: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    exportContacts: {
        parameters: {
            query?: {
                search?: string;
                status?: components["schemas"]["ContactStatus"];
                tag?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description text/csv */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getContact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactResponse"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteContact: {
        parameters: {
            query?: {
                erase?: boolean;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedContactResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateContact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateContactRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    resendConfirmation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResendConfirmationRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description account_suspended, insufficient_scope, ip_not_allowed, sender_domain_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            404: components["responses"]["NotFound"];
            409: components["responses"]["InvalidState"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /** @description content_risk_high, disposable_high_confidence, disposable_medium_confidence, previous_complaint, previous_hard_bounce, recipient_suppressed, recipient_unsubscribed, risk_score_critical, sender_not_verified, spamtrap_detected, validation_error, velocity_first_send_bulk, volume_spike */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description quota_exceeded, rate_limit_exceeded */
            429: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    importContacts: {
        parameters: {
            query?: {
                /** @description Whether all contacts are asked by email to confirm. Overrides the value of each row. When absent, the value of the row applies, or else true. */
                double_opt_in?: boolean;
                /** @description Sender of the confirmation emails: an address, or `Name <address>`. */
                from?: string;
                /** @description Template of the confirmation emails. */
                template_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportContactsRequest"];
                "text/csv": string;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContactImportResultResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getConfirmationPage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description text/html */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["InvalidParameter"];
            /** @description text/html */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description text/html */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description text/html */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    confirmContact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description text/html */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["InvalidParameter"];
            /** @description text/html */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description text/html */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description text/html */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listErasures: {
        parameters: {
            query?: {
                /** @description Number of the page. 1 when absent. */
                page?: number;
                /** @description Entries on a page. 50 when absent. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasureList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createErasure: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateErasureRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasureResponse"];
                };
            };
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasureResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getErasure: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasureResponse"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    scoreContent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScoreContentRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentScoreResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            /** @description quota_exceeded, rate_limit_exceeded */
            429: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listContentEvents: {
        parameters: {
            query?: {
                /** @description Only entries at or after this time. */
                from?: string;
                /** @description Only entries before this time. */
                to?: string;
                email_id?: string;
                domain_id?: string;
                risk_level?: components["schemas"]["ContentRiskLevel"];
                limit?: number;
                offset?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentEventList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            /** @description account_suspended, feature_not_enabled, insufficient_scope, ip_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    previewRisk: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RiskPreviewRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RiskPreviewResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description account_suspended, insufficient_scope, ip_not_allowed, plan_required, sender_domain_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            /** @description quota_exceeded, rate_limit_exceeded */
            429: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getRiskStatistics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RiskStatisticsResponse"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            /** @description account_suspended, insufficient_scope, ip_not_allowed, plan_required */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listEmails: {
        parameters: {
            query?: {
                /** @description Only entries at or after this time. */
                from?: string;
                /** @description Only entries before this time. */
                to?: string;
                /** @description One or more statuses, separated by commas. */
                status?: string;
                recipient?: string;
                tag?: string;
                domain_id?: string;
                message_id?: string;
                /** @description Part of the recipient, subject or message ID. It reads every email of the period: among hundreds of thousands, add `from` and `to`, or filter by `recipient`, which is found at once. */
                search?: string;
                /** @description Part of the last response, in any case, such as `rate limited` or `4.7.28`. With `status=deferred`, the waiting emails that one cause holds up. */
                response?: string;
                /** @description Whether sandbox emails are included. */
                include_sandbox?: boolean;
                limit?: number;
                offset?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailDetailResponse"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rescheduleEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RescheduleEmailRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailDetailResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["InvalidState"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getEmailHtml: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description text/html */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getRawEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description message/rfc822 */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "message/rfc822": string;
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    cancelEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailDetailResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            /** @description not_cancelable */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    cancelEmails: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CancelEmailsRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CanceledEmailsResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    retryEmail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailDetailResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["InvalidState"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listInboxMails: {
        parameters: {
            query?: {
                /** @description Only emails received at or after this time. */
                from?: string;
                /** @description An address returns only emails to it; a date-time, only emails received before it. */
                to?: string;
                /** @description Part of the subject, case-insensitive. */
                subject?: string;
                email_id?: string;
                limit?: number;
                offset?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InboxMailList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    clearInbox: {
        parameters: {
            query?: {
                /** @description Only emails received at or after this time. */
                from?: string;
                /** @description An address returns only emails to it; a date-time, only emails received before it. */
                to?: string;
                /** @description Part of the subject, case-insensitive. */
                subject?: string;
                email_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClearedInboxResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getInboxMail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InboxMailDetailResponse"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteInboxMail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getInboxMailHtml: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description text/html */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getRawInboxMail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description message/rfc822 */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "message/rfc822": string;
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getHomePage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description text/html */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["InvalidParameter"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getInboxPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description text/html */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["InvalidParameter"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                event?: "email.sent" | "email.delivered" | "email.opened" | "email.clicked" | "email.bounced" | "email.complained" | "email.unsubscribed" | "email.failed" | "email.scheduled" | "email.deferred" | "email.suppressed" | "email.canceled" | "domain.verified" | "domain.verification_failed" | "suppression.created" | "suppression.deleted" | "contact.confirmed" | "health.grade_changed";
                /** @description The events that the email itself shows. A suppression that it caused names it in its data and is not among them. */
                email_id?: string;
                /** @description Only events of the newest 10,000 emails to this address, and of the address itself. */
                recipient?: string;
                domain_id?: string;
                tag?: string;
                /** @description Only entries at or after this time. */
                from?: string;
                /** @description Only entries before this time. */
                to?: string;
                /** @description Part of what the receiver answered, in any case, such as `rate limited` or `4.7.28`. With `event=email.deferred` and `from`, the emails that one cause has held up since then, delivered or not. */
                response?: string;
                /** @description Whether events of sandbox emails are included. */
                include_sandbox?: boolean;
                limit?: number;
                offset?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    streamEvents: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `id` of the last frame you read, which is a position in the log and not an event_id. The stream resumes after it, as far back as events are kept (`retention_days`). When absent, the stream starts now. */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description text/event-stream */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getStatistics: {
        parameters: {
            query?: {
                /**
                 * @description First day of the period, at most 365 days. 29 days before `to_date` when absent.
                 * @example 2026-01-31
                 */
                from_date?: string;
                /**
                 * @description Last day of the period, included. Today when absent.
                 * @example 2026-01-31
                 */
                to_date?: string;
                tag?: string;
                domain_id?: string;
                stream?: components["schemas"]["Stream"];
                /** @description An IANA time zone name, such as Europe/Berlin. */
                timezone?: string;
                /** @description Whether opens and clicks by machines are counted too. */
                include_machine?: boolean;
                /** @description Whether sandbox emails are counted too. */
                include_sandbox?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatisticsResponse"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getSendStatistics: {
        parameters: {
            query?: {
                /**
                 * @description First day of the period, at most 365 days. 29 days before `to_date` when absent.
                 * @example 2026-01-31
                 */
                from_date?: string;
                /**
                 * @description Last day of the period, included. Today when absent.
                 * @example 2026-01-31
                 */
                to_date?: string;
                tag?: string;
                domain_id?: string;
                stream?: components["schemas"]["Stream"];
                /** @description An IANA time zone name, such as Europe/Berlin. */
                timezone?: string;
                /** @description Whether opens and clicks by machines are counted too. */
                include_machine?: boolean;
                /** @description Whether sandbox emails are counted too. */
                include_sandbox?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SendStatistics"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getBounceStatistics: {
        parameters: {
            query?: {
                /**
                 * @description First day of the period, at most 365 days. 29 days before `to_date` when absent.
                 * @example 2026-01-31
                 */
                from_date?: string;
                /**
                 * @description Last day of the period, included. Today when absent.
                 * @example 2026-01-31
                 */
                to_date?: string;
                tag?: string;
                domain_id?: string;
                stream?: components["schemas"]["Stream"];
                /** @description An IANA time zone name, such as Europe/Berlin. */
                timezone?: string;
                /** @description Whether opens and clicks by machines are counted too. */
                include_machine?: boolean;
                /** @description Whether sandbox emails are counted too. */
                include_sandbox?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BounceStatistics"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getSpamStatistics: {
        parameters: {
            query?: {
                /**
                 * @description First day of the period, at most 365 days. 29 days before `to_date` when absent.
                 * @example 2026-01-31
                 */
                from_date?: string;
                /**
                 * @description Last day of the period, included. Today when absent.
                 * @example 2026-01-31
                 */
                to_date?: string;
                tag?: string;
                domain_id?: string;
                stream?: components["schemas"]["Stream"];
                /** @description An IANA time zone name, such as Europe/Berlin. */
                timezone?: string;
                /** @description Whether opens and clicks by machines are counted too. */
                include_machine?: boolean;
                /** @description Whether sandbox emails are counted too. */
                include_sandbox?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpamStatistics"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getOpenStatistics: {
        parameters: {
            query?: {
                /**
                 * @description First day of the period, at most 365 days. 29 days before `to_date` when absent.
                 * @example 2026-01-31
                 */
                from_date?: string;
                /**
                 * @description Last day of the period, included. Today when absent.
                 * @example 2026-01-31
                 */
                to_date?: string;
                tag?: string;
                domain_id?: string;
                stream?: components["schemas"]["Stream"];
                /** @description An IANA time zone name, such as Europe/Berlin. */
                timezone?: string;
                /** @description Whether opens and clicks by machines are counted too. */
                include_machine?: boolean;
                /** @description Whether sandbox emails are counted too. */
                include_sandbox?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenStatistics"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getPlatformStatistics: {
        parameters: {
            query?: {
                /**
                 * @description First day of the period, at most 365 days. 29 days before `to_date` when absent.
                 * @example 2026-01-31
                 */
                from_date?: string;
                /**
                 * @description Last day of the period, included. Today when absent.
                 * @example 2026-01-31
                 */
                to_date?: string;
                tag?: string;
                domain_id?: string;
                stream?: components["schemas"]["Stream"];
                /** @description An IANA time zone name, such as Europe/Berlin. */
                timezone?: string;
                /** @description Whether opens and clicks by machines are counted too. */
                include_machine?: boolean;
                /** @description Whether sandbox emails are counted too. */
                include_sandbox?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlatformStatistics"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getClickStatistics: {
        parameters: {
            query?: {
                /**
                 * @description First day of the period, at most 365 days. 29 days before `to_date` when absent.
                 * @example 2026-01-31
                 */
                from_date?: string;
                /**
                 * @description Last day of the period, included. Today when absent.
                 * @example 2026-01-31
                 */
                to_date?: string;
                tag?: string;
                domain_id?: string;
                stream?: components["schemas"]["Stream"];
                /** @description An IANA time zone name, such as Europe/Berlin. */
                timezone?: string;
                /** @description Whether opens and clicks by machines are counted too. */
                include_machine?: boolean;
                /** @description Whether sandbox emails are counted too. */
                include_sandbox?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClickStatistics"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getProviderStatistics: {
        parameters: {
            query?: {
                /**
                 * @description First day of the period, at most 365 days. 29 days before `to_date` when absent.
                 * @example 2026-01-31
                 */
                from_date?: string;
                /**
                 * @description Last day of the period, included. Today when absent.
                 * @example 2026-01-31
                 */
                to_date?: string;
                tag?: string;
                domain_id?: string;
                stream?: components["schemas"]["Stream"];
                /** @description An IANA time zone name, such as Europe/Berlin. */
                timezone?: string;
                /** @description Whether opens and clicks by machines are counted too. */
                include_machine?: boolean;
                /** @description Whether sandbox emails are counted too. */
                include_sandbox?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderStatistics"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getDomainStatistics: {
        parameters: {
            query?: {
                /**
                 * @description First day of the period, at most 365 days. 29 days before `to_date` when absent.
                 * @example 2026-01-31
                 */
                from_date?: string;
                /**
                 * @description Last day of the period, included. Today when absent.
                 * @example 2026-01-31
                 */
                to_date?: string;
                tag?: string;
                domain_id?: string;
                stream?: components["schemas"]["Stream"];
                /** @description An IANA time zone name, such as Europe/Berlin. */
                timezone?: string;
                /** @description Whether opens and clicks by machines are counted too. */
                include_machine?: boolean;
                /** @description Whether sandbox emails are counted too. */
                include_sandbox?: boolean;
                /** @description How many domains. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainStatistics"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getHealthScore: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthScoreResponse"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    refreshHealthScore: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthScoreResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listHealthScores: {
        parameters: {
            query?: {
                /**
                 * @description Only this day and later ones.
                 * @example 2026-01-31
                 */
                from_date?: string;
                /**
                 * @description Only this day and earlier ones.
                 * @example 2026-01-31
                 */
                to_date?: string;
                /** @description Number of the page. 1 when absent. */
                page?: number;
                /** @description Entries on a page. 30 when absent. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PastHealthScoreList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getTestReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                domain_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestReadinessResponse"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description Number of the page. When neither page nor limit is given, the list comes in full. */
                page?: number;
                /** @description Entries on a page. When neither page nor limit is given, the list comes in full. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookRequest"];
            };
        };
        responses: {
            /** @description Success */
            201: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            /** @description account_suspended, insufficient_scope, ip_not_allowed, webhook_limit_reached */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookResponse"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWebhookRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteWebhookResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    regenerateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RotateRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSecretResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookTestResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                status?: components["schemas"]["WebhookDeliveryStatus"];
                event?: "email.sent" | "email.delivered" | "email.opened" | "email.clicked" | "email.bounced" | "email.complained" | "email.unsubscribed" | "email.failed" | "email.scheduled" | "email.deferred" | "email.suppressed" | "email.canceled" | "domain.verified" | "domain.verification_failed" | "suppression.created" | "suppression.deleted" | "contact.confirmed" | "health.grade_changed" | "test";
                email_id?: string;
                /** @description Only entries at or after this time. */
                from?: string;
                /** @description Only entries before this time. */
                to?: string;
                limit?: number;
                offset?: number;
                /** @description The next_cursor of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryList"];
                };
            };
            400: components["responses"]["InvalidParameter"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    replayWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueuedReplayResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["InvalidState"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    replayWebhookEvents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplayWebhookRequest"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    "X-Request-ID": components["headers"]["X-Request-ID"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueuedReplayResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["InvalidState"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    receiveWebhookEvent: {
        parameters: {
            query?: never;
            header: {
                /** @description ID of the event, the same for every delivery of it. */
                "webhook-id": string;
                /** @description When this attempt was signed, in Unix seconds. */
                "webhook-timestamp": string;
                /** @description Signature according to Standard Webhooks. */
                "webhook-signature": string;
                /** @description HMAC-SHA256 of the body in lowercase hex, with the secret of the webhook as the key. */
                "X-Webhook-Signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEvent"];
            };
        };
        responses: {
            /** @description Event accepted */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}

export type Account = components['schemas']['Account']
export type AccountLimits = components['schemas']['AccountLimits']
export type AccountOverview = components['schemas']['AccountOverview']
export type AccountOverviewList = components['schemas']['AccountOverviewList']
export type AccountResponse = components['schemas']['AccountResponse']
export type AccountUser = components['schemas']['AccountUser']
export type AddressPattern = components['schemas']['AddressPattern']
export type AddressRisk = components['schemas']['AddressRisk']
export type AddressValidation = components['schemas']['AddressValidation']
export type AddressValidationBatch = components['schemas']['AddressValidationBatch']
export type AddressValidationResponse = components['schemas']['AddressValidationResponse']
export type ApiKey = components['schemas']['ApiKey']
export type ApiKeyList = components['schemas']['ApiKeyList']
export type ApiKeyResponse = components['schemas']['ApiKeyResponse']
export type ApiKeyWithSecret = components['schemas']['ApiKeyWithSecret']
export type ApiKeyWithSecretResponse = components['schemas']['ApiKeyWithSecretResponse']
export type Attachment = components['schemas']['Attachment']
export type AttemptOutcome = components['schemas']['AttemptOutcome']
export type BatchItem = components['schemas']['BatchItem']
export type BatchItemError = components['schemas']['BatchItemError']
export type BatchRequest = components['schemas']['BatchRequest']
export type BatchResponse = components['schemas']['BatchResponse']
export type BatchSummary = components['schemas']['BatchSummary']
export type Bounce = components['schemas']['Bounce']
export type BounceCategory = components['schemas']['BounceCategory']
export type BounceCommand = components['schemas']['BounceCommand']
export type BounceDay = components['schemas']['BounceDay']
export type BounceList = components['schemas']['BounceList']
export type BounceSource = components['schemas']['BounceSource']
export type BounceStatistics = components['schemas']['BounceStatistics']
export type BounceTotals = components['schemas']['BounceTotals']
export type BounceType = components['schemas']['BounceType']
export type CancelEmailsRequest = components['schemas']['CancelEmailsRequest']
export type CanceledEmails = components['schemas']['CanceledEmails']
export type CanceledEmailsResponse = components['schemas']['CanceledEmailsResponse']
export type ChangePasswordRequest = components['schemas']['ChangePasswordRequest']
export type ChangedFeatures = components['schemas']['ChangedFeatures']
export type ChangedLimits = components['schemas']['ChangedLimits']
export type ClearedInbox = components['schemas']['ClearedInbox']
export type ClearedInboxResponse = components['schemas']['ClearedInboxResponse']
export type ClickDay = components['schemas']['ClickDay']
export type ClickStatistics = components['schemas']['ClickStatistics']
export type ClickTotals = components['schemas']['ClickTotals']
export type ComplaintDkim = components['schemas']['ComplaintDkim']
export type ConfidenceLabel = components['schemas']['ConfidenceLabel']
export type Consent = components['schemas']['Consent']
export type Contact = components['schemas']['Contact']
export type ContactEntry = components['schemas']['ContactEntry']
export type ContactImportResult = components['schemas']['ContactImportResult']
export type ContactImportResultResponse = components['schemas']['ContactImportResultResponse']
export type ContactList = components['schemas']['ContactList']
export type ContactResponse = components['schemas']['ContactResponse']
export type ContactStatus = components['schemas']['ContactStatus']
export type ContentEvent = components['schemas']['ContentEvent']
export type ContentEventList = components['schemas']['ContentEventList']
export type ContentEventType = components['schemas']['ContentEventType']
export type ContentMatch = components['schemas']['ContentMatch']
export type ContentRiskLevel = components['schemas']['ContentRiskLevel']
export type ContentScore = components['schemas']['ContentScore']
export type ContentScoreResponse = components['schemas']['ContentScoreResponse']
export type ContentUsage = components['schemas']['ContentUsage']
export type CreateAccountRequest = components['schemas']['CreateAccountRequest']
export type CreateApiKeyRequest = components['schemas']['CreateApiKeyRequest']
export type CreateContactRequest = components['schemas']['CreateContactRequest']
export type CreateDomainRequest = components['schemas']['CreateDomainRequest']
export type CreateErasureRequest = components['schemas']['CreateErasureRequest']
export type CreateSuppressionRequest = components['schemas']['CreateSuppressionRequest']
export type CreateTrackingDomainRequest = components['schemas']['CreateTrackingDomainRequest']
export type CreateUnsubscribeRequest = components['schemas']['CreateUnsubscribeRequest']
export type CreateUserRequest = components['schemas']['CreateUserRequest']
export type CreateWebhookRequest = components['schemas']['CreateWebhookRequest']
export type CreatedAccount = components['schemas']['CreatedAccount']
export type CreatedAccountResponse = components['schemas']['CreatedAccountResponse']
export type CurrentAccount = components['schemas']['CurrentAccount']
export type CurrentSession = components['schemas']['CurrentSession']
export type CurrentSessionResponse = components['schemas']['CurrentSessionResponse']
export type CurrentUser = components['schemas']['CurrentUser']
export type CursorPagination = components['schemas']['CursorPagination']
export type DeleteAccountRequest = components['schemas']['DeleteAccountRequest']
export type DeleteTrackingDomainResponse = components['schemas']['DeleteTrackingDomainResponse']
export type DeleteWebhookResponse = components['schemas']['DeleteWebhookResponse']
export type Deleted = components['schemas']['Deleted']
export type DeletedContact = components['schemas']['DeletedContact']
export type DeletedContactResponse = components['schemas']['DeletedContactResponse']
export type DeletedDomain = components['schemas']['DeletedDomain']
export type DeletedDomainResponse = components['schemas']['DeletedDomainResponse']
export type DeletedResponse = components['schemas']['DeletedResponse']
export type DeliveryAttempt = components['schemas']['DeliveryAttempt']
export type DeliveryFigures = components['schemas']['DeliveryFigures']
export type DialogueLine = components['schemas']['DialogueLine']
export type DkimReason = components['schemas']['DkimReason']
export type DkimResult = components['schemas']['DkimResult']
export type DkimRotation = components['schemas']['DkimRotation']
export type DmarcPeriod = components['schemas']['DmarcPeriod']
export type DmarcPolicy = components['schemas']['DmarcPolicy']
export type DmarcReport = components['schemas']['DmarcReport']
export type DmarcReportDkim = components['schemas']['DmarcReportDkim']
export type DmarcReportList = components['schemas']['DmarcReportList']
export type DmarcReportRecord = components['schemas']['DmarcReportRecord']
export type DmarcReportWithRecords = components['schemas']['DmarcReportWithRecords']
export type DmarcReportWithRecordsResponse = components['schemas']['DmarcReportWithRecordsResponse']
export type DmarcReportingRecord = components['schemas']['DmarcReportingRecord']
export type DmarcSource = components['schemas']['DmarcSource']
export type DmarcSources = components['schemas']['DmarcSources']
export type DmarcSourcesResponse = components['schemas']['DmarcSourcesResponse']
export type DnsCheck = components['schemas']['DnsCheck']
export type DnsRecord = components['schemas']['DnsRecord']
export type DnsRecordStatus = components['schemas']['DnsRecordStatus']
export type Domain = components['schemas']['Domain']
export type DomainChecks = components['schemas']['DomainChecks']
export type DomainDetail = components['schemas']['DomainDetail']
export type DomainDetailResponse = components['schemas']['DomainDetailResponse']
export type DomainDns = components['schemas']['DomainDns']
export type DomainDnsResponse = components['schemas']['DomainDnsResponse']
export type DomainEventData = components['schemas']['DomainEventData']
export type DomainFigures = components['schemas']['DomainFigures']
export type DomainList = components['schemas']['DomainList']
export type DomainResponse = components['schemas']['DomainResponse']
export type DomainStatistics = components['schemas']['DomainStatistics']
export type DomainVerification = components['schemas']['DomainVerification']
export type DomainVerificationResponse = components['schemas']['DomainVerificationResponse']
export type EarlierConsent = components['schemas']['EarlierConsent']
export type Email = components['schemas']['Email']
export type EmailAttachment = components['schemas']['EmailAttachment']
export type EmailDetail = components['schemas']['EmailDetail']
export type EmailDetailResponse = components['schemas']['EmailDetailResponse']
export type EmailList = components['schemas']['EmailList']
export type EmailStatus = components['schemas']['EmailStatus']
export type EmailUsage = components['schemas']['EmailUsage']
export type EnableSecondFactorRequest = components['schemas']['EnableSecondFactorRequest']
export type Erasure = components['schemas']['Erasure']
export type ErasureList = components['schemas']['ErasureList']
export type ErasureResponse = components['schemas']['ErasureResponse']
export type ErasureStatus = components['schemas']['ErasureStatus']
export type Event = components['schemas']['Event']
export type EventContactConfirmed = components['schemas']['EventContactConfirmed']
export type EventContactConfirmedData = components['schemas']['EventContactConfirmedData']
export type EventDnsCheck = components['schemas']['EventDnsCheck']
export type EventDomainChecks = components['schemas']['EventDomainChecks']
export type EventDomainVerificationFailed = components['schemas']['EventDomainVerificationFailed']
export type EventDomainVerified = components['schemas']['EventDomainVerified']
export type EventEmailBounced = components['schemas']['EventEmailBounced']
export type EventEmailBouncedData = components['schemas']['EventEmailBouncedData']
export type EventEmailCanceled = components['schemas']['EventEmailCanceled']
export type EventEmailCanceledData = components['schemas']['EventEmailCanceledData']
export type EventEmailClicked = components['schemas']['EventEmailClicked']
export type EventEmailClickedData = components['schemas']['EventEmailClickedData']
export type EventEmailComplained = components['schemas']['EventEmailComplained']
export type EventEmailComplainedData = components['schemas']['EventEmailComplainedData']
export type EventEmailDeferred = components['schemas']['EventEmailDeferred']
export type EventEmailDeferredData = components['schemas']['EventEmailDeferredData']
export type EventEmailDelivered = components['schemas']['EventEmailDelivered']
export type EventEmailDeliveredData = components['schemas']['EventEmailDeliveredData']
export type EventEmailFailed = components['schemas']['EventEmailFailed']
export type EventEmailFailedData = components['schemas']['EventEmailFailedData']
export type EventEmailOpened = components['schemas']['EventEmailOpened']
export type EventEmailOpenedData = components['schemas']['EventEmailOpenedData']
export type EventEmailScheduled = components['schemas']['EventEmailScheduled']
export type EventEmailScheduledData = components['schemas']['EventEmailScheduledData']
export type EventEmailSent = components['schemas']['EventEmailSent']
export type EventEmailSentData = components['schemas']['EventEmailSentData']
export type EventEmailSuppressed = components['schemas']['EventEmailSuppressed']
export type EventEmailSuppressedData = components['schemas']['EventEmailSuppressedData']
export type EventEmailUnsubscribed = components['schemas']['EventEmailUnsubscribed']
export type EventEmailUnsubscribedData = components['schemas']['EventEmailUnsubscribedData']
export type EventHealthGradeChanged = components['schemas']['EventHealthGradeChanged']
export type EventHealthGradeChangedData = components['schemas']['EventHealthGradeChangedData']
export type EventList = components['schemas']['EventList']
export type EventSuppressionCreated = components['schemas']['EventSuppressionCreated']
export type EventSuppressionDeleted = components['schemas']['EventSuppressionDeleted']
export type EventTest = components['schemas']['EventTest']
export type Features = components['schemas']['Features']
export type GivenConsent = components['schemas']['GivenConsent']
export type HealthComponent = components['schemas']['HealthComponent']
export type HealthFinding = components['schemas']['HealthFinding']
export type HealthMetrics = components['schemas']['HealthMetrics']
export type HealthPeriod = components['schemas']['HealthPeriod']
export type HealthScore = components['schemas']['HealthScore']
export type HealthScoreResponse = components['schemas']['HealthScoreResponse']
export type ImportContactsRequest = components['schemas']['ImportContactsRequest']
export type ImportFault = components['schemas']['ImportFault']
export type ImportResult = components['schemas']['ImportResult']
export type ImportResultResponse = components['schemas']['ImportResultResponse']
export type ImportSuppressionsRequest = components['schemas']['ImportSuppressionsRequest']
export type ImportUnsubscribesRequest = components['schemas']['ImportUnsubscribesRequest']
export type InboxAttachment = components['schemas']['InboxAttachment']
export type InboxMail = components['schemas']['InboxMail']
export type InboxMailDetail = components['schemas']['InboxMailDetail']
export type InboxMailDetailResponse = components['schemas']['InboxMailDetailResponse']
export type InboxMailList = components['schemas']['InboxMailList']
export type KeyMode = components['schemas']['KeyMode']
export type LimitedUsage = components['schemas']['LimitedUsage']
export type Limits = components['schemas']['Limits']
export type LimitsResponse = components['schemas']['LimitsResponse']
export type Liveness = components['schemas']['Liveness']
export type LogFollower = components['schemas']['LogFollower']
export type Machine = components['schemas']['Machine']
export type MachineList = components['schemas']['MachineList']
export type MailProvider = components['schemas']['MailProvider']
export type Mailbox = components['schemas']['Mailbox']
export type MeteredUsage = components['schemas']['MeteredUsage']
export type MonthlyUse = components['schemas']['MonthlyUse']
export type NamedMailbox = components['schemas']['NamedMailbox']
export type OpenDay = components['schemas']['OpenDay']
export type OpenStatistics = components['schemas']['OpenStatistics']
export type OpenTotals = components['schemas']['OpenTotals']
export type OperatorAction = components['schemas']['OperatorAction']
export type OperatorActionList = components['schemas']['OperatorActionList']
export type OwnFeatures = components['schemas']['OwnFeatures']
export type OwnLimits = components['schemas']['OwnLimits']
export type PagePagination = components['schemas']['PagePagination']
export type PastHealthScore = components['schemas']['PastHealthScore']
export type PastHealthScoreList = components['schemas']['PastHealthScoreList']
export type Plan = components['schemas']['Plan']
export type PlanLimits = components['schemas']['PlanLimits']
export type PlanRate = components['schemas']['PlanRate']
export type PlanRates = components['schemas']['PlanRates']
export type PlanTerms = components['schemas']['PlanTerms']
export type PlanTermsList = components['schemas']['PlanTermsList']
export type Platform = components['schemas']['Platform']
export type PlatformDay = components['schemas']['PlatformDay']
export type PlatformStatistics = components['schemas']['PlatformStatistics']
export type PlatformTotals = components['schemas']['PlatformTotals']
export type PreviewTemplateDraftRequest = components['schemas']['PreviewTemplateDraftRequest']
export type PreviewTemplateRequest = components['schemas']['PreviewTemplateRequest']
export type PreviousDkimKey = components['schemas']['PreviousDkimKey']
export type Profile = components['schemas']['Profile']
export type ProfileResponse = components['schemas']['ProfileResponse']
export type ProviderAnswers = components['schemas']['ProviderAnswers']
export type ProviderDay = components['schemas']['ProviderDay']
export type ProviderRates = components['schemas']['ProviderRates']
export type ProviderStatistics = components['schemas']['ProviderStatistics']
export type ProviderTotals = components['schemas']['ProviderTotals']
export type QueueCause = components['schemas']['QueueCause']
export type QueueCauseList = components['schemas']['QueueCauseList']
export type QueueDestination = components['schemas']['QueueDestination']
export type QueueList = components['schemas']['QueueList']
export type QueueTotals = components['schemas']['QueueTotals']
export type QueuedReplay = components['schemas']['QueuedReplay']
export type QueuedReplayResponse = components['schemas']['QueuedReplayResponse']
export type RateLimit = components['schemas']['RateLimit']
export type RateLimits = components['schemas']['RateLimits']
export type Readiness = components['schemas']['Readiness']
export type ReadinessCheck = components['schemas']['ReadinessCheck']
export type ReadinessTracking = components['schemas']['ReadinessTracking']
export type ReasonCount = components['schemas']['ReasonCount']
export type RecoveryCodes = components['schemas']['RecoveryCodes']
export type RecoveryCodesResponse = components['schemas']['RecoveryCodesResponse']
export type RemoteMta = components['schemas']['RemoteMta']
export type RemoveSecondFactorRequest = components['schemas']['RemoveSecondFactorRequest']
export type RemovedAddress = components['schemas']['RemovedAddress']
export type RemovedAddressResponse = components['schemas']['RemovedAddressResponse']
export type ReplayWebhookRequest = components['schemas']['ReplayWebhookRequest']
export type ReportBounceRequest = components['schemas']['ReportBounceRequest']
export type ReportComplaintRequest = components['schemas']['ReportComplaintRequest']
export type ReportResult = components['schemas']['ReportResult']
export type ReportResultResponse = components['schemas']['ReportResultResponse']
export type RescheduleEmailRequest = components['schemas']['RescheduleEmailRequest']
export type ResendConfirmationRequest = components['schemas']['ResendConfirmationRequest']
export type ResetUserPasswordRequest = components['schemas']['ResetUserPasswordRequest']
export type RestoreTemplateVersionRequest = components['schemas']['RestoreTemplateVersionRequest']
export type RiskAction = components['schemas']['RiskAction']
export type RiskActionCounts = components['schemas']['RiskActionCounts']
export type RiskBreakdown = components['schemas']['RiskBreakdown']
export type RiskFactor = components['schemas']['RiskFactor']
export type RiskLevel = components['schemas']['RiskLevel']
export type RiskLevelCounts = components['schemas']['RiskLevelCounts']
export type RiskPolicy = components['schemas']['RiskPolicy']
export type RiskPreview = components['schemas']['RiskPreview']
export type RiskPreviewRequest = components['schemas']['RiskPreviewRequest']
export type RiskPreviewResponse = components['schemas']['RiskPreviewResponse']
export type RiskQuota = components['schemas']['RiskQuota']
export type RiskStatistics = components['schemas']['RiskStatistics']
export type RiskStatisticsResponse = components['schemas']['RiskStatisticsResponse']
export type Role = components['schemas']['Role']
export type RotateRequest = components['schemas']['RotateRequest']
export type RotatedSmtpCredentials = components['schemas']['RotatedSmtpCredentials']
export type RotatedSmtpCredentialsResponse = components['schemas']['RotatedSmtpCredentialsResponse']
export type SandboxResult = components['schemas']['SandboxResult']
export type Scope = components['schemas']['Scope']
export type ScoreContentRequest = components['schemas']['ScoreContentRequest']
export type SecondFactorOffer = components['schemas']['SecondFactorOffer']
export type SecondFactorOfferResponse = components['schemas']['SecondFactorOfferResponse']
export type SendDay = components['schemas']['SendDay']
export type SendRecipient = components['schemas']['SendRecipient']
export type SendRequest = components['schemas']['SendRequest']
export type SendResponse = components['schemas']['SendResponse']
export type SendResult = components['schemas']['SendResult']
export type SendRisk = components['schemas']['SendRisk']
export type SendStatistics = components['schemas']['SendStatistics']
export type SendTotals = components['schemas']['SendTotals']
export type SendingFigures = components['schemas']['SendingFigures']
export type Session = components['schemas']['Session']
export type SessionList = components['schemas']['SessionList']
export type SetUpRequest = components['schemas']['SetUpRequest']
export type SignInRequest = components['schemas']['SignInRequest']
export type SmtpCredentials = components['schemas']['SmtpCredentials']
export type SmtpCredentialsResponse = components['schemas']['SmtpCredentialsResponse']
export type SmtpResult = components['schemas']['SmtpResult']
export type SmtpSettings = components['schemas']['SmtpSettings']
export type SmtpSettingsResponse = components['schemas']['SmtpSettingsResponse']
export type SpamDay = components['schemas']['SpamDay']
export type SpamStatistics = components['schemas']['SpamStatistics']
export type SpamTotals = components['schemas']['SpamTotals']
export type SslStatus = components['schemas']['SslStatus']
export type Statistics = components['schemas']['Statistics']
export type StatisticsPeriod = components['schemas']['StatisticsPeriod']
export type StatisticsResponse = components['schemas']['StatisticsResponse']
export type SteeredQueue = components['schemas']['SteeredQueue']
export type SteeredQueueResponse = components['schemas']['SteeredQueueResponse']
export type Stream = components['schemas']['Stream']
export type SubmissionPorts = components['schemas']['SubmissionPorts']
export type Suppression = components['schemas']['Suppression']
export type SuppressionEntry = components['schemas']['SuppressionEntry']
export type SuppressionEventData = components['schemas']['SuppressionEventData']
export type SuppressionList = components['schemas']['SuppressionList']
export type SuppressionReason = components['schemas']['SuppressionReason']
export type SuppressionResponse = components['schemas']['SuppressionResponse']
export type Template = components['schemas']['Template']
export type TemplateList = components['schemas']['TemplateList']
export type TemplatePreview = components['schemas']['TemplatePreview']
export type TemplatePreviewResponse = components['schemas']['TemplatePreviewResponse']
export type TemplateRequest = components['schemas']['TemplateRequest']
export type TemplateResponse = components['schemas']['TemplateResponse']
export type TemplateVersion = components['schemas']['TemplateVersion']
export type TemplateVersionList = components['schemas']['TemplateVersionList']
export type TemplateVersionResponse = components['schemas']['TemplateVersionResponse']
export type TestReadiness = components['schemas']['TestReadiness']
export type TestReadinessResponse = components['schemas']['TestReadinessResponse']
export type TlsPolicy = components['schemas']['TlsPolicy']
export type TlsReport = components['schemas']['TlsReport']
export type TlsReportDkim = components['schemas']['TlsReportDkim']
export type TlsReportFailure = components['schemas']['TlsReportFailure']
export type TlsReportList = components['schemas']['TlsReportList']
export type TlsReportPolicy = components['schemas']['TlsReportPolicy']
export type TlsReportingRecord = components['schemas']['TlsReportingRecord']
export type TlsSession = components['schemas']['TlsSession']
export type TrackingCheck = components['schemas']['TrackingCheck']
export type TrackingDnsSetup = components['schemas']['TrackingDnsSetup']
export type TrackingDomain = components['schemas']['TrackingDomain']
export type TrackingDomainList = components['schemas']['TrackingDomainList']
export type TrackingDomainResponse = components['schemas']['TrackingDomainResponse']
export type TrackingDomainVerification = components['schemas']['TrackingDomainVerification']
export type Unsubscribe = components['schemas']['Unsubscribe']
export type UnsubscribeEntry = components['schemas']['UnsubscribeEntry']
export type UnsubscribeList = components['schemas']['UnsubscribeList']
export type UnsubscribeResponse = components['schemas']['UnsubscribeResponse']
export type UpdateAccountRequest = components['schemas']['UpdateAccountRequest']
export type UpdateApiKeyRequest = components['schemas']['UpdateApiKeyRequest']
export type UpdateContactRequest = components['schemas']['UpdateContactRequest']
export type UpdateDomainRequest = components['schemas']['UpdateDomainRequest']
export type UpdateProfileRequest = components['schemas']['UpdateProfileRequest']
export type UpdateUserRequest = components['schemas']['UpdateUserRequest']
export type UpdateWebhookRequest = components['schemas']['UpdateWebhookRequest']
export type Usage = components['schemas']['Usage']
export type UsageResponse = components['schemas']['UsageResponse']
export type User = components['schemas']['User']
export type UserList = components['schemas']['UserList']
export type UserResponse = components['schemas']['UserResponse']
export type UserWithPassword = components['schemas']['UserWithPassword']
export type UserWithPasswordResponse = components['schemas']['UserWithPasswordResponse']
export type ValidateAddressRequest = components['schemas']['ValidateAddressRequest']
export type ValidateAddressesRequest = components['schemas']['ValidateAddressesRequest']
export type ValidationChecks = components['schemas']['ValidationChecks']
export type ValidationQuota = components['schemas']['ValidationQuota']
export type ValidationQuotaResponse = components['schemas']['ValidationQuotaResponse']
export type ValidationSummary = components['schemas']['ValidationSummary']
export type VerificationStatus = components['schemas']['VerificationStatus']
export type Webhook = components['schemas']['Webhook']
export type WebhookDelivery = components['schemas']['WebhookDelivery']
export type WebhookDeliveryList = components['schemas']['WebhookDeliveryList']
export type WebhookDeliveryStatus = components['schemas']['WebhookDeliveryStatus']
export type WebhookEvent = components['schemas']['WebhookEvent']
export type WebhookEventName = components['schemas']['WebhookEventName']
export type WebhookList = components['schemas']['WebhookList']
export type WebhookResponse = components['schemas']['WebhookResponse']
export type WebhookSecretResponse = components['schemas']['WebhookSecretResponse']
export type WebhookTest = components['schemas']['WebhookTest']
export type WebhookTestResponse = components['schemas']['WebhookTestResponse']
